/** Starts a file of the project as a thread: from a checkout, from the executable, and from the bundle of the package. */

export type ThreadFile =
  | 'storage/sqlite/writer/thread'
  | 'storage/sqlite/search/thread'
  | 'storage/sqlite/schema/migrating-thread'
  | 'http/body/parse-thread'
  | 'cli/serving-thread'
  | 'cli/data/backup-thread';

/** As `top -H` and `ps -T` show them: the system keeps 15 characters. The first thread has the name of the process. */
const names: Readonly<Record<ThreadFile, string>> = {
  'storage/sqlite/writer/thread': 'shelf writer',
  'storage/sqlite/search/thread': 'shelf search',
  'storage/sqlite/schema/migrating-thread': 'shelf migrating',
  'http/body/parse-thread': 'shelf parser',
  'cli/serving-thread': 'shelf serving',
  'cli/data/backup-thread': 'shelf backup',
};

export function startThread(file: ThreadFile): Worker {
  const options = { name: names[file] };
  // The executable knows a thread by its path in the project.
  const inExecutable = import.meta.dir.startsWith('/$bunfs');
  if (inExecutable) return new Worker(`./src/${file}.ts`, options);
  // The bundle has this code in a folder beside those of its threads, as the source has.
  const extension = import.meta.path.endsWith('.ts') ? 'ts' : 'js';
  return new Worker(new URL(`../${file}.${extension}`, import.meta.url).href, options);
}
