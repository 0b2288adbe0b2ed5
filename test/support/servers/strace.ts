/** strace on a running server: while it is attached, syncs to the disk fail or are slow. */
import { systemTool, toolPath } from '../../../scripts/tools/system-tool.ts';

export const syncs = 'fsync,fdatasync';

/** Undefined if strace is not available. */
export const strace = systemTool('strace');

export type Attached = { detach(): Promise<void> };

/** `inject` is strace's option for each sync, such as `error=EIO`. Resolves when it is attached to every thread. */
export async function injectSyncs(pid: number, inject: string): Promise<Attached> {
  const child = Bun.spawn(
    [
      toolPath('strace'),
      ...['-f', '-o', '/dev/null', '-p', String(pid)],
      ...['-e', `trace=${syncs}`, '-e', `inject=${syncs}:${inject}`],
    ],
    { stdin: 'ignore', stdout: 'ignore', stderr: 'pipe' },
  );
  const reader = child.stderr.getReader();
  const decoder = new TextDecoder();
  let said = '';
  while (!said.includes('attached')) {
    const { done, value } = await reader.read();
    if (done) throw new Error(`strace ended: ${said}`);
    said += decoder.decode(value, { stream: true });
  }
  reader.releaseLock();
  return {
    async detach() {
      child.kill('SIGINT');
      await child.exited;
    },
  };
}
