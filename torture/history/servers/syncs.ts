/** Makes the disk syncs of a running server fail or run slowly, while strace is attached. */
import { systemTool, toolPath } from '../../../scripts/tools/system-tool.ts';

const syncs = 'fsync,fdatasync';

export const canInject = () => systemTool('strace') !== undefined;

/** Resolves when strace is attached, with a function that detaches it. */
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
  // strace prints each thread that it attaches to.
  const reader = strace.stderr.getReader();
  let output = '';
  while (!output.includes('attached')) {
    const { done, value } = await reader.read();
    if (done) throw new Error(`strace cannot attach to ${pid}: ${output}`);
    output += new TextDecoder().decode(value);
  }
  // Discards the rest, so that the pipe does not fill up.
  (async () => {
    while (!(await reader.read()).done);
  })();
  return async () => {
    strace.kill('SIGINT');
    await strace.exited;
  };
}
