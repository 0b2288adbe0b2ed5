/** Where the peers are, what one is, and how a server is started. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toolPath } from '../../scripts/tools/system-tool.ts';

export const root = join(import.meta.dir, '../..');
export const peerFolder = join(root, 'bench/peers');
export const built = join(root, 'bench/.built');
export const venv = join(built, 'venv');

export type Server = {
  readonly pid: number;
  readonly base: string;
  /** Where its load comes from, if not 64 connections from the second core. */
  readonly load?: { readonly cores: string; readonly connections: number };
  stop(): Promise<void>;
};

/** The files of a certificate and its key. */
export type TlsPaths = { readonly cert: string; readonly key: string };
/** For requests of the benchmark itself: it has made the certificate. */
export const anyCertificate = { tls: { rejectUnauthorized: false } };

export type Peer = {
  readonly name: string;
  readonly keeps: 'disk' | 'memory' | 'files';
  /** Undefined if it is ready to start, else the reason why not. */
  setUp(): string | undefined;
  /** Some peers can serve over TLS, and some on several cores. */
  start(port: number, tls?: TlsPaths, cores?: string): Promise<Server>;
  /** Its paths for what Shelf serves under `/api/items`, if they differ. */
  readonly paths?: { readonly list?: string; readonly one?: string };
};

/** Every server runs on the first core; the load comes from the second. */
export const serverCore = '0';

export function run(
  command: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): string | undefined {
  const { exitCode, stderr } = Bun.spawnSync([...command], {
    cwd,
    env: { ...process.env, ...env },
    stdout: 'ignore',
    stderr: 'pipe',
  });
  return exitCode === 0 ? undefined : (stderr.toString().trim().split('\n').at(-1) ?? 'it failed');
}

export const missing = (tool: string) => (Bun.which(tool) === null ? `${tool} is not installed` : undefined);

/** A server is measured with the settings that the benchmark gives it, whatever those of this shell are. */
function withoutSettings(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !/^(SHELF|OTEL)_/.test(name)));
}

/** Shelf is measured with one serving thread, unless a flag says otherwise. A variable, because earlier versions do not know the flag. */
const oneThread = { SHELF_THREADS: '1' };

export async function launch(
  command: readonly string[],
  port: number,
  cwd: string,
  env: Record<string, string> = {},
  folder?: string,
  cores = serverCore,
  scheme: 'http' | 'https' = 'http',
): Promise<Server> {
  const child = Bun.spawn([toolPath('taskset'), '-c', cores, ...command], {
    cwd,
    env: { ...withoutSettings(process.env), ...oneThread, PORT: String(port), NODE_ENV: 'production', ...env },
    stdout: 'ignore',
    stderr: 'ignore',
  });
  const base = `${scheme}://127.0.0.1:${port}`;
  for (
    let tries = 0;
    !(await fetch(base, anyCertificate).then(
      () => true,
      () => false,
    ));
    tries++
  ) {
    if (tries > 1000 || child.exitCode !== null) throw new Error(`${command.join(' ')} does not answer`);
    await Bun.sleep(10);
  }
  // Another process may have the port: then its own has ended.
  if (child.exitCode !== null) throw new Error(`${command.join(' ')} ended, and another server answers on its port`);
  return {
    pid: child.pid,
    base,
    stop: async () => {
      // Shelf does not drain on this signal.
      child.kill('SIGINT');
      await Promise.race([child.exited, Bun.sleep(3000)]);
      child.kill('SIGKILL');
      await child.exited;
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}

export const newFolder = () => mkdtempSync(join(tmpdir(), 'shelf-bench-'));

export const schemeOf = (tls: TlsPaths | undefined) => (tls === undefined ? 'http' : 'https');
