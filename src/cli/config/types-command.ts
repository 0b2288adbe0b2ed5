/** Parses the arguments of `types`. */
import { type Environment, UsageError } from './environment.ts';

/** `url`: of a running server; undefined for the collections of the configuration file. `role`: of that file. */
export type TypesCommand = {
  readonly url: URL | undefined;
  readonly key: string | undefined;
  readonly role?: string | undefined;
};

const urlFlag = '--url';
const roleFlag = '--role';
export const typesFlags = [urlFlag, roleFlag];

export function readTypesCommand(flags: ReadonlyMap<string, string>, env: Environment): TypesCommand {
  const given = flags.get(urlFlag);
  const url = given === undefined ? undefined : URL.parse(given);
  if (url === null || (url !== undefined && !/^https?:$/.test(url.protocol)))
    throw new UsageError(`${urlFlag} must be the address of a server, such as http://127.0.0.1:8000, not "${given}".`);
  const role = flags.get(roleFlag);
  if (role !== undefined && url !== undefined)
    throw new UsageError(`${roleFlag} is of the configuration file: leave ${urlFlag} out, or use a key with the role.`);
  return { url, key: env.SHELF_KEY || undefined, role };
}
