/** nginx and HAProxy with the configuration of deploy/, in front of instances on this machine. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemTool, toolPath } from '../../../../scripts/tools/system-tool.ts';
import { root } from '../process.ts';
import { freePort } from './free-port.ts';

export const proxies = ['nginx', 'haproxy'] as const;
export type ProxyName = (typeof proxies)[number];

export const isInstalled = (name: ProxyName) => systemTool(name) !== undefined;

export type Proxy = { readonly url: string; stop(): Promise<void> };

/** Replaces each text once; throws if the configuration does not have it. */
function adapted(text: string, replacements: Readonly<Record<string, string>>): string {
  return Object.entries(replacements).reduce((before, [from, to]) => {
    if (!before.includes(from)) throw new Error(`the configuration has no ${JSON.stringify(from)}`);
    return before.replace(from, to);
  }, text);
}

const configuration = (file: string) => Bun.file(join(root, 'deploy', file)).text();

async function nginxCommand(folder: string, port: number, [one, two]: readonly [number, number]): Promise<string[]> {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((kind) => `${kind}_temp_path ${folder}/${kind};`)
    .join(' ');
  const file = join(folder, 'nginx.conf');
  const rule = 'max_fails=1 fail_timeout=2s;';
  const text = adapted(await configuration('nginx.conf'), {
    'http {': `http { access_log off; ${temporary}`,
    [`server shelf:8000 ${rule}`]: `server 127.0.0.1:${one} ${rule} server 127.0.0.1:${two} ${rule}`,
    'listen 80;': `listen 127.0.0.1:${port};`,
  });
  writeFileSync(file, `daemon off; pid ${folder}/pid;\n${text}`);
  return [toolPath('nginx'), '-e', join(folder, 'error.log'), '-c', file];
}

async function haproxyCommand(folder: string, port: number, [one, two]: readonly [number, number]): Promise<string[]> {
  const file = join(folder, 'haproxy.cfg');
  const text = adapted(await configuration('haproxy.cfg'), {
    'bind :80': `bind 127.0.0.1:${port}`,
    'shelf1:8000': `127.0.0.1:${one}`,
    'shelf2:8000': `127.0.0.1:${two}`,
  });
  writeFileSync(file, text);
  return [toolPath('haproxy'), '-db', '-f', file];
}

/** Resolves when it answers. */
export async function startProxy(name: ProxyName, ports: readonly [number, number], parent: string): Promise<Proxy> {
  const port = freePort();
  const folder = join(parent, `${name}-${port}`);
  mkdirSync(folder, { mode: 0o755 });
  const command = await (name === 'nginx' ? nginxCommand : haproxyCommand)(folder, port, ports);
  const child = Bun.spawn(command, { cwd: folder, stdout: 'ignore', stderr: 'pipe' });
  const url = `http://127.0.0.1:${port}`;
  while (!(await fetch(`${url}/healthz`).catch(() => undefined))?.ok) {
    if (child.exitCode !== null) throw new Error(`${name} ended: ${await new Response(child.stderr).text()}`);
    await Bun.sleep(20);
  }
  return {
    url,
    stop: async () => {
      child.kill('SIGTERM');
      await child.exited;
    },
  };
}
