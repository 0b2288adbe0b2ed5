/** Clients of one server that send one round of requests after the other. */
import { Connection, type Exchange } from './connection.ts';

/** New connections reach every serving thread in the end. */
const roundsPerConnection = 10;
const maxComplaints = 20;

export class Clients {
  readonly complaints: string[] = [];

  constructor(
    readonly port: number,
    readonly isOver: () => boolean,
  ) {}

  /** `round` is called right before its requests are sent; there are no more when it returns none. */
  async run(round: () => readonly Exchange[]): Promise<void> {
    let isLast = false;
    const goesOn = () => !isLast && this.complaints.length < maxComplaints && !this.isOver();
    while (goesOn()) {
      try {
        const connection = await Connection.open(this.port);
        for (let n = 0; n < roundsPerConnection && goesOn(); n++) {
          const exchanges = round();
          isLast = exchanges.length === 0;
          if (!isLast) await connection.send(exchanges);
        }
        connection.close();
      } catch (error) {
        this.complaints.push((error as Error).message);
      }
    }
  }
}

export function request(method: string, path: string, body?: string): string {
  const content =
    body === undefined ? '' : `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`;
  return `${method} ${path} HTTP/1.1\r\nHost: localhost\r\n${content}\r\n${body ?? ''}`;
}
