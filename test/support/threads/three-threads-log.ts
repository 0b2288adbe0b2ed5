/** Three threads that log to standard output as fast as they can: `bun test/support/threads/three-threads-log.ts COUNT`. */
import { lineOf, startThreads } from './three-threads.ts';

const count = Number(process.argv[2]);
const { log, one, other } = await startThreads(process.stdout);
const threads = [one.log('one', count), other.log('other', count)];
for (let n = 0; n < count; n++) {
  log.write(lineOf('main', n));
  if (n % 50 === 0) await new Promise(setImmediate);
}
await Promise.all(threads);
await log.flush();
process.exit(0);
