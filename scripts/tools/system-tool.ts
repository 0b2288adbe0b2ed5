/** The PATH extended by the system's standard folders, because a new user's PATH may hold only node and npm. */
export const systemPath = `${process.env.PATH}:/usr/sbin:/usr/bin:/sbin:/bin`;

/** The full path of a system tool; undefined if it is not installed. */
export function systemTool(name: string): string | undefined {
  return Bun.which(name, { PATH: systemPath }) ?? undefined;
}

/** For spawning: Bun looks commands up on the PATH that the process was started with, so a short PATH needs the full path. */
export function toolPath(name: string): string {
  return systemTool(name) ?? name;
}
