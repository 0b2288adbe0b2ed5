/** npm run conformance -- URL: checks any server against the contract, over HTTP. It adds records to that server. */
import { Client, NotObservable } from './client.ts';
import { contract } from './contract.ts';

const given = process.argv[2] ?? '';
if (!/^https?:\/\/./.test(given)) {
  process.stderr.write('Usage: npm run conformance -- http://127.0.0.1:8000\n');
  process.exit(2);
}
const client = new Client(given.replace(/\/+$/, ''));
try {
  await client.get('/');
} catch {
  process.stderr.write(`conformance: no server answers at ${client.base}: start the server, or check the address.\n`);
  process.exit(1);
}

const counts = { passed: 0, failed: 0, skipped: 0 };
let section = '';
for (const row of contract) {
  if (row.section !== section) process.stdout.write(`\n${row.section}\n`);
  section = row.section;
  try {
    await row.check(client);
    counts.passed++;
    process.stdout.write(`  ok    ${row.sentence}\n`);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const skipped = error instanceof NotObservable;
    counts[skipped ? 'skipped' : 'failed']++;
    process.stdout.write(`  ${skipped ? 'skip ' : 'FAIL '} ${row.sentence}\n        ${reason}\n`);
  }
}
process.stdout.write(`\n${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped\n`);
process.exit(counts.failed === 0 ? 0 : 1);
