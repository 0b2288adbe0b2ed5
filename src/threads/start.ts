/** Starts a file of the project as a thread, both from a checkout and from the executable. */

export type ThreadFile = 'storage/sqlite/writer/thread' | 'storage/sqlite/search/thread' | 'http/body/parse-thread';

export function startThread(file: ThreadFile): Worker {
  // The executable knows a thread by its path in the project.
  const inExecutable = import.meta.dir.startsWith('/$bunfs');
  return new Worker(inExecutable ? `./src/${file}.ts` : new URL(`../${file}.ts`, import.meta.url).href);
}
