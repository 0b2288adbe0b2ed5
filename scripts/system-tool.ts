/** Where one of the system's own tools is, also for whoever has little on the PATH. */
export function systemTool(name: string): string | undefined {
  return Bun.which(name, { PATH: `${process.env.PATH}:/usr/sbin:/usr/bin:/sbin:/bin` }) ?? undefined;
}
