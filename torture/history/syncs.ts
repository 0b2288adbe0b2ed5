/** Comes between a running server and its disk: syncs fail or are slow for as long as strace is attached. */
import { systemTool, toolPath } from '../../scripts/system-tool.ts';

const syncs = 'fsync,fdatasync';

export const canInject = () => systemTool('strace') !== undefined;

/** Resolves when it has begun, with a function that ends it. */
export async function inject(pid: number, what: 'error=EIO' | `delay_enter=${number}`): Promise<() => Promise<void>> {
  const strace = Bun.spawn(
    [
      toolPath('strace'),
      '-f',
      '-o',
      '/dev/null',
      '-e',
      `trace=${syncs}`,
      '-e',
      `inject=${syncs}:${what}`,
      '-p',
      String(pid),
    ],
    { stdin: 'ignore', stdout: 'ignore', stderr: 'pipe' },
  );
  // It reports each thread that it is attached to.
  const reader = strace.stderr.getReader();
  let output = '';
  while (!output.includes('attached')) {
    const { done, value } = await reader.read();
    if (done) throw new Error(`strace cannot attach to ${pid}: ${output}`);
    output += new TextDecoder().decode(value);
  }
  // Nobody reads the rest.
  (async () => {
    while (!(await reader.read()).done);
  })();
  return async () => {
    strace.kill('SIGINT');
    await strace.exited;
  };
}
