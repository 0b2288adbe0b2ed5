/** The PATH with the folders of the system's own tools, also for whoever has little on theirs. */
export const systemPath = `${process.env.PATH}:/usr/sbin:/usr/bin:/sbin:/bin`;

/** Where one of those tools is. */
export function systemTool(name: string): string | undefined {
  return Bun.which(name, { PATH: systemPath }) ?? undefined;
}
