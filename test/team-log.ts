/** Three threads that log to standard output as fast as they can: `bun test/team-log.ts COUNT`. */
import { lineOf, startTeam } from './team.ts';

const count = Number(process.argv[2]);
const { log, one, other } = await startTeam(process.stdout);
const members = [one.log('one', count), other.log('other', count)];
for (let n = 0; n < count; n++) {
  log.write(lineOf('main', n));
  if (n % 50 === 0) await new Promise(setImmediate);
}
await Promise.all(members);
await log.flush();
process.exit(0);
