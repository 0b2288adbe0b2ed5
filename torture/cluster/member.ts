/** One machine of the database: PostgreSQL under Patroni, and a member of etcd. */
import { chownSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../test/support/servers/process.ts';
import type { Machine } from './network.ts';

/** PostgreSQL refuses to run as root. */
const nobody = 65534;
const ports = { etcd: 2379, peers: 2380, patroni: 8008, postgres: 5432 };
const answerMs = 500;
/** Before the other programs of this machine: while they keep etcd waiting, Patroni promotes servers that nothing is wrong with. */
const priority = ['nice', '-n', '-15'];

/** Of the programs' processes; Patroni is a Python program. */
const databasePrograms = ['patroni', 'postgres'];
const etcdProgram = 'etcd';

type Shared = { readonly postgresql: { readonly parameters: Readonly<Record<string, unknown>> } };
/** What the example for operators has. */
const example = readFileSync(join(root, 'deploy/cluster/patroni.yaml'), 'utf8');
const { dcs } = (Bun.YAML.parse(example) as { readonly bootstrap: { readonly dcs: Shared } }).bootstrap;
const quiet = { shared_buffers: '64MB', log_min_messages: 'fatal', log_min_error_statement: 'fatal' };

export type Programs = { readonly patroni: string; readonly etcd: string; readonly postgres: string };

export class Member {
  readonly #folder: string;

  constructor(
    readonly machine: Machine,
    readonly all: readonly Machine[],
    readonly programs: Programs,
    folder: string,
  ) {
    this.#folder = join(folder, machine.name);
    for (const path of [this.#folder, ...['etcd', 'data', 'socket'].map((name) => join(this.#folder, name))]) {
      mkdirSync(path, { mode: 0o700 });
      chownSync(path, nobody, nobody);
    }
    writeFileSync(join(this.#folder, 'patroni.json'), JSON.stringify(this.#patroniConfig()));
  }

  get name(): string {
    return this.machine.name;
  }

  get databaseUrl(): string {
    return `postgres://postgres@${this.machine.address}:${ports.postgres}/postgres`;
  }

  startEtcd(): void {
    const { name, address } = this.machine;
    this.#spawn(
      'etcd',
      this.programs.etcd,
      ...['--name', name, '--data-dir', join(this.#folder, 'etcd')],
      ...['--listen-client-urls', `http://${address}:${ports.etcd}`],
      ...['--advertise-client-urls', `http://${address}:${ports.etcd}`],
      ...['--listen-peer-urls', `http://${address}:${ports.peers}`],
      ...['--initial-advertise-peer-urls', `http://${address}:${ports.peers}`],
      '--initial-cluster',
      this.all.map((machine) => `${machine.name}=http://${machine.address}:${ports.peers}`).join(','),
      // A member that was cut off must not end the term of the leader when it rejoins: Patroni demotes its own leader meanwhile.
      '--pre-vote',
      // A busy machine must not look like a dead one.
      ...['--heartbeat-interval', '300', '--election-timeout', '3000'],
    );
  }

  startPatroni(): void {
    this.#spawn('patroni', this.programs.patroni, join(this.#folder, 'patroni.json'));
  }

  /** Resolves when the processes have ended. */
  async killDatabase(): Promise<void> {
    await this.#end(databasePrograms);
  }

  async killEtcd(): Promise<void> {
    await this.#end([etcdProgram]);
  }

  pauseDatabase(): void {
    this.machine.signal(databasePrograms, 'SIGSTOP');
  }

  resumeDatabase(): void {
    this.machine.signal(databasePrograms, 'SIGCONT');
  }

  /** Whether Patroni has the lease, and PostgreSQL runs as the primary. */
  async isLeader(): Promise<boolean> {
    return (await this.ask('/primary'))?.ok === true;
  }

  /** Undefined without an answer. */
  async ask(path: string, init: RequestInit = {}, withinMs = answerMs): Promise<Response | undefined> {
    const url = `http://${this.machine.address}:${ports.patroni}${path}`;
    return fetch(url, { ...init, keepalive: false, signal: AbortSignal.timeout(withinMs) }).catch(() => undefined);
  }

  async #end(programs: readonly string[]): Promise<void> {
    while (programs.some((program) => this.machine.isRunning(program))) {
      this.machine.signal(programs, 'SIGKILL');
      await Bun.sleep(20);
    }
  }

  #spawn(program: string, ...command: readonly string[]): void {
    const log = openSync(join(this.#folder, `${program}.log`), 'a');
    const asNobody = [...priority, 'setpriv', `--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups', ...command];
    Bun.spawn(this.machine.command(...asNobody), {
      cwd: this.#folder,
      env: { PATH: process.env.PATH ?? '', HOME: this.#folder, LANG: 'C.UTF-8' },
      stdin: 'ignore',
      stdout: log,
      stderr: log,
    });
  }

  #patroniConfig() {
    const { name, address } = this.machine;
    const rest = `${address}:${ports.patroni}`;
    const database = `${address}:${ports.postgres}`;
    return {
      scope: 'shelf',
      name,
      restapi: { listen: rest, connect_address: rest },
      etcd3: { hosts: this.all.map((machine) => `${machine.address}:${ports.etcd}`) },
      bootstrap: {
        dcs: { ...dcs, postgresql: { ...dcs.postgresql, parameters: { ...dcs.postgresql.parameters, ...quiet } } },
        initdb: [{ encoding: 'UTF8' }, { locale: 'C' }],
      },
      postgresql: {
        listen: database,
        connect_address: database,
        data_dir: join(this.#folder, 'data', 'postgres'),
        bin_dir: this.programs.postgres,
        pgpass: join(this.#folder, 'pgpass'),
        authentication: Object.fromEntries(
          ['superuser', 'replication', 'rewind'].map((role) => [role, { username: 'postgres', password: 'torture' }]),
        ),
        pg_hba: ['host all all 10.77.0.0/24 trust', 'host replication all 10.77.0.0/24 trust'],
        parameters: { unix_socket_directories: join(this.#folder, 'socket') },
      },
    };
  }
}
