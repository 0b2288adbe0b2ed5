/** Starts a file of this folder as a thread, from a checkout and from the executable alike. */

export function startThread(name: 'writer-thread' | 'query-thread'): Worker {
  // Inside the executable a thread is named by its path in the project.
  const inside = import.meta.dir.startsWith('/$bunfs');
  return new Worker(inside ? `./src/storage/sqlite/${name}.ts` : new URL(`./${name}.ts`, import.meta.url).href);
}
