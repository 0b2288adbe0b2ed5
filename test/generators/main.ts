/** npm run generators: checks the clients that the tests generate, and one for Python if that is installed. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand } from '../support/servers/command.ts';
import { startServer } from '../support/servers/server.ts';
import { expected } from './expected.ts';

const here = import.meta.dir;
const root = join(here, '../..');
const say = (text: string) => process.stdout.write(`${text}\n`);

function run(command: readonly string[], cwd: string): { failed: boolean; said: string } {
  const { exitCode, stdout, stderr } = Bun.spawnSync([...command], { cwd, stdout: 'pipe', stderr: 'pipe' });
  return { failed: exitCode !== 0, said: `${stdout}${stderr}` };
}

/** The folder of Python's programs, or the reason why there is none. */
function installPython(): { bin: string } | { reason: string } {
  if (Bun.which('python3') === null) return { reason: 'there is no python3' };
  const requirements = join(here, 'requirements.txt');
  const venv = join(here, 'node_modules', '.python');
  const bin = join(venv, 'bin');
  if (existsSync(join(bin, 'openapi-python-client'))) return { bin };
  say('shelf: installing openapi-python-client (once) ...');
  for (const command of [
    ['python3', '-m', 'venv', venv],
    [join(bin, 'pip'), 'install', '--quiet', '--requirement', requirements],
  ]) {
    const { failed, said } = run(command, here);
    if (failed) return { reason: said.trim().split('\n').at(-1) ?? 'pip failed' };
  }
  return { bin };
}

/** Returns undefined if the client works, else its output. */
async function python(bin: string): Promise<string | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'shelf-python-'));
  const server = await startServer();
  try {
    writeFileSync(join(folder, 'openapi.json'), await (await fetch(`${server.url}/openapi.json`)).text());
    const generator = [join(bin, 'openapi-python-client'), 'generate', '--path', join(folder, 'openapi.json')];
    const options = ['--output-path', join(folder, 'shelf_client'), '--meta', 'none', '--fail-on-warning'];
    const config = ['--config', join(here, 'python-client.yml')];
    const generated = run([...generator, ...options, ...config], folder);
    if (generated.failed) return generated.said;
    const program = [join(bin, 'python'), join(here, 'clients/python.py'), server.url];
    const { stdout, stderr } = await runCommand(program, { cwd: folder, env: { ...process.env, PYTHONPATH: folder } });
    const printed = stdout === '' ? {} : JSON.parse(stdout);
    return Bun.deepEquals(printed, { ...expected, csv: true }) ? undefined : stdout + stderr;
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

const tests = Bun.spawnSync([process.execPath, 'test', '--timeout', '60000', './test/openapi/generators.test.ts'], {
  cwd: root,
  stdio: ['inherit', 'inherit', 'inherit'],
});
const installed = installPython();
if ('reason' in installed) {
  say(`openapi-python-client: not run, because ${installed.reason}`);
  process.exit(tests.exitCode);
}
const wrong = await python(installed.bin);
say(wrong === undefined ? 'ok     openapi-python-client' : `FAILED openapi-python-client\n${wrong}`);
process.exit(wrong === undefined ? tests.exitCode : 1);
