/** A folder with the files of --tls-cert, --tls-key and --tls-client-ca, and clients that trust them. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { Authority, type Issued, type Wanted } from './certificate.ts';

const local = { name: 'localhost', hosts: ['localhost', '127.0.0.1'] };

export class TlsFolder {
  readonly authority = new Authority('Shelf Test');
  readonly clients = new Authority('Shelf Test Clients');
  readonly cert: string;
  readonly key: string;
  readonly clientCa: string;

  constructor(readonly folder: string) {
    this.cert = join(folder, 'server.crt');
    this.key = join(folder, 'server.key');
    this.clientCa = join(folder, 'clients.crt');
    writeFileSync(this.clientCa, this.clients.cert);
    this.renew();
  }

  /** Flags for the command. */
  get args(): string[] {
    return ['--tls-cert', this.cert, '--tls-key', this.key];
  }

  /** Settings for a server in this process. */
  get settings() {
    return { cert: { value: this.cert }, key: { value: this.key } };
  }

  /** Writes a new certificate of the server. */
  renew(wanted: Partial<Wanted> = {}): Issued {
    const issued = this.authority.issue({ ...local, ...wanted });
    this.write(issued);
    return issued;
  }

  write({ cert, key }: Issued): void {
    writeFileSync(this.cert, cert);
    writeFileSync(this.key, key);
  }

  client(wanted: Wanted): Issued {
    return this.clients.issue(wanted);
  }

  /** For fetch. */
  trust(client?: Issued): { tls: { ca: string; cert?: string; key?: string } } {
    return { tls: { ca: this.authority.cert, ...client } };
  }

  /** The file with the authority of the server, for commands. */
  get authorityFile(): string {
    const path = join(this.folder, 'authority.crt');
    writeFileSync(path, this.authority.cert);
    return path;
  }

  /** Resolves after the handshake. */
  connect(url: string): Promise<TLSSocket> {
    const socket = connect({
      host: '127.0.0.1',
      port: Number(new URL(url).port),
      ca: this.authority.cert,
      servername: 'localhost',
      ALPNProtocols: ['http/1.1'],
    });
    return new Promise((resolve, reject) => {
      socket.once('secureConnect', () => resolve(socket)).once('error', reject);
    });
  }
}
