/** Runs a command to its end and returns its output. */
type Options = { readonly cwd?: string; readonly env?: Readonly<Record<string, string | undefined>> };

export async function runCommand(command: readonly string[], options: Options = {}) {
  const child = Bun.spawn([...command], { ...options, stdout: 'pipe', stderr: 'pipe' });
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { stdout, stderr, code };
}
