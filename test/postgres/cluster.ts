/** A private PostgreSQL server that a test can create, stop, kill, copy and promote. */
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SQL } from 'bun';
import { systemTool } from '../../scripts/tools/system-tool.ts';
import { freePort } from '../support/servers/network/free-port.ts';
import { postgresBinaries } from './binaries.ts';

/** PostgreSQL refuses to run as root, so root runs it as the user nobody. */
const asRoot = process.getuid?.() === 0;
const nobody = 65534;

/** `npm test` names one in memory, if there is enough: on a disk, a cluster of 40 MB takes longer to copy and to remove than to use. */
const { TESTED_CLUSTERS: parentFolder = tmpdir() } = process.env;

type Settings = Readonly<Record<string, string | number>>;

/** Settings of every cluster: loopback only, and many connections. */
const common: Settings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: 500,
  shared_buffers: '64MB',
  // Within the folder of the cluster, which is removed: a killed server leaves its segments in /dev/shm.
  dynamic_shared_memory_type: 'mmap',
  log_min_messages: 'fatal',
};

/** For data that need not survive a crash of the machine: a killed server loses nothing. */
export const withoutSyncs: Settings = { fsync: 'off' };

function asServer(command: readonly string[]): string[] {
  if (!asRoot) return [...command];
  const tool = systemTool('setpriv');
  if (tool === undefined) throw new Error('there is no setpriv to run PostgreSQL as another user with');
  return [tool, `--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups', ...command];
}

function programs(): string {
  const binaries = postgresBinaries();
  if ('reason' in binaries) throw new Error(`PostgreSQL cannot be had: ${binaries.reason}`);
  return join(binaries.folder, 'bin');
}

function own(path: string): void {
  if (!asRoot) return;
  chownSync(path, nobody, nobody);
  for (const entry of readdirSync(path, { recursive: true }) as string[]) chownSync(join(path, entry), nobody, nobody);
}

/** Makes a database cluster in the empty `folder`, with a system identifier of its own. */
export function initialize(folder: string): void {
  if (asRoot) chownSync(folder, nobody, nobody);
  const options = ['--username=postgres', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync'];
  const { exitCode, stderr } = Bun.spawnSync(asServer([join(programs(), 'initdb'), '--pgdata', folder, ...options]), {
    cwd: '/',
    env: {},
    stdout: 'ignore',
    stderr: 'pipe',
  });
  if (exitCode !== 0) throw new Error(`initdb failed: ${stderr}`);
}

/** Fills `folder` with an empty database: initdb runs once, and its result is copied. */
function emptyData(folder: string): void {
  const template = join(tmpdir(), `${programs().replaceAll('/', '_')}-template`);
  if (!existsSync(template)) {
    const making = mkdtempSync(`${template}.`);
    initialize(making);
    if (existsSync(template)) rmSync(making, { recursive: true });
    else renameSync(making, template);
  }
  cpSync(template, folder, { recursive: true });
  own(folder);
  chmodSync(folder, 0o700);
}

export class Cluster {
  readonly port = freePort();
  readonly folder: string;
  #server: Bun.Subprocess | undefined;
  #followed: Settings = {};

  /** Uses the data in `folder`, or a new empty database in a folder of its own within `parent` if there is none. */
  constructor(
    readonly settings: Settings = {},
    folder?: string,
    parent = parentFolder,
  ) {
    this.folder = folder ?? mkdtempSync(join(parent, 'shelf-cluster-'));
    if (folder === undefined) emptyData(this.folder);
  }

  get pid(): number {
    return this.#server?.pid ?? 0;
  }

  url(database = 'postgres', user = 'postgres'): string {
    return `postgres://${user}@127.0.0.1:${this.port}/${database}`;
  }

  /** Resolves when the server answers queries. */
  async start(): Promise<this> {
    rmSync(join(this.folder, 'postmaster.pid'), { force: true });
    const settings = Object.entries({ ...common, port: this.port, ...this.settings, ...this.#followed });
    this.#server = Bun.spawn(
      asServer([
        join(programs(), 'postgres'),
        '-D',
        this.folder,
        ...settings.flatMap(([name, value]) => ['-c', `${name}=${value}`]),
      ]),
      { cwd: '/', env: {}, stdout: 'ignore', stderr: 'ignore', detached: true },
    );
    running.add(this);
    await this.answers();
    return this;
  }

  async answers(): Promise<void> {
    for (let tries = 0; ; tries++) {
      const sql = new SQL({ url: this.url(), max: 1, connectionTimeout: 5 });
      try {
        await sql`select 1`;
        return;
      } catch (error) {
        if (tries > 600 || this.#server?.exitCode != null) throw error;
        await Bun.sleep(50);
      } finally {
        await sql.close({ timeout: 0 }).catch(() => {});
      }
    }
  }

  /** Kills the server and its child processes. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  /** A fast shutdown: closes its connections and stops cleanly. */
  async stop(): Promise<void> {
    await this.#end('SIGINT');
  }

  /** Suspends the server and its child processes, as on a suspended machine. Its connections stay open. */
  pause(): void {
    suspend(this.pid);
    // Only the list of children that have all stopped is complete: one that ends meanwhile can hide another.
    for (let running = [this.pid]; running.length > 0; ) {
      running = childrenOf(this.pid).filter((child) => !isSuspended(child));
      for (const child of running) suspend(child);
    }
  }

  /** The server comes last, because it removes the children that have ended, and a signal to one that is gone throws. */
  resume(): void {
    for (const pid of [...childrenOf(this.pid), this.pid]) process.kill(pid, 'SIGCONT');
  }

  async #end(signal: 'SIGKILL' | 'SIGINT'): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    this.#server = undefined;
    running.delete(this);
    // The children survive a killed parent, so the whole process group is killed.
    process.kill(signal === 'SIGKILL' ? -server.pid : server.pid, signal);
    await server.exited;
  }

  async remove(): Promise<void> {
    await this.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Makes each commit wait for a standby. */
  async waitForStandby(): Promise<void> {
    await this.run("alter system set synchronous_standby_names = '*'", 'select pg_reload_conf()');
    while ((await this.run("select 1 from pg_stat_replication where sync_state in ('sync', 'quorum')")).length === 0)
      await Bun.sleep(20);
  }

  /** Resolves when new connections use the current files of settings and certificates. PostgreSQL reads them in the background. */
  async reload(): Promise<void> {
    const loaded = async () => String(await this.run('select pg_conf_load_time()::text'));
    const before = await loaded();
    await this.run('select pg_reload_conf()');
    while ((await loaded()) === before) await Bun.sleep(10);
  }

  /** Runs statements as the superuser. */
  async run(...statements: string[]): Promise<unknown[][]> {
    const sql = new SQL({ url: this.url(), max: 1 });
    try {
      let rows: unknown[][] = [];
      for (const statement of statements) rows = await sql.unsafe(statement).values();
      return rows;
    } finally {
      await sql.close();
    }
  }

  /** A standby of this server, from a copy taken while it runs. `name` is for synchronous_standby_names. */
  async standby(settings: Settings = {}, name = 'standby'): Promise<Cluster> {
    const folder = mkdtempSync(join(parentFolder, 'shelf-cluster-'));
    const sql = new SQL({ url: this.url(), max: 1 });
    try {
      await sql`select pg_backup_start('standby', true)`;
      cpSync(this.folder, folder, {
        recursive: true,
        filter: (path) => !/postmaster\.(pid|opts)$|pg_wal\/.|pg_replslot\/./.test(path),
      });
      const [row] = await sql`select labelfile from pg_backup_stop(false)`.values();
      writeFileSync(join(folder, 'backup_label'), String(row?.[0]));
    } finally {
      await sql.close();
    }
    writeFileSync(join(folder, 'standby.signal'), '');
    // Drops the copied setting synchronous_standby_names.
    writeFileSync(join(folder, 'postgresql.auto.conf'), '');
    own(folder);
    chmodSync(folder, 0o700);
    const standby = new Cluster(settings, folder);
    standby.follow(this, name);
    return standby;
  }

  /** From the next start on, a standby replicates this primary. */
  follow({ port }: Cluster, name = 'standby'): void {
    this.#followed = { primary_conninfo: `host=127.0.0.1 port=${port} user=postgres application_name=${name}` };
  }
}

/** Each has a process group of its own. */
function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
}

/** Returns when the process has stopped: until then, a server may fork another child. */
function suspend(pid: number): void {
  try {
    process.kill(pid, 'SIGSTOP');
  } catch {
    // It has ended.
  }
  while (!isSuspended(pid)) Bun.sleepSync(1);
}

/** Also true of a process that has ended. */
function isSuspended(pid: number): boolean {
  try {
    return /^\d+ \(.*\) [TZX]/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return true;
  }
}

const running = new Set<Cluster>();
process.on('exit', () => {
  for (const cluster of running) cluster.kill();
});
