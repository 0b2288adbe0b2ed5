/** Starts a file of the project as a thread, from a checkout and from the executable alike. */

export type ThreadFile = 'storage/sqlite/writer/thread' | 'storage/sqlite/search/thread' | 'http/body/parse-thread';

export function startThread(file: ThreadFile): Worker {
  // Inside the executable a thread is named by its path in the project.
  const inside = import.meta.dir.startsWith('/$bunfs');
  return new Worker(inside ? `./src/${file}.ts` : new URL(`../${file}.ts`, import.meta.url).href);
}
