/** npm run check: types, lint and format, floors. Runs all of them and fails if one does. */
import { join } from 'node:path';

const root = join(import.meta.dir, '..');
const bin = (name: string) => join(root, 'node_modules', '.bin', name);

const checks = {
  types: [bin('tsc'), '-p', root],
  'types of the console': [bin('tsc'), '-p', join(root, 'console')],
  'lint and format': [bin('biome'), 'check', '--error-on-warnings', root],
  floors: [process.execPath, 'test', './test/repository/floors.test.ts'],
};

let failed = 0;
for (const [name, command] of Object.entries(checks)) {
  const { exitCode, stdout, stderr } = Bun.spawnSync(command, { cwd: root });
  process.stdout.write(`${exitCode === 0 ? 'ok    ' : 'FAILED'} ${name}\n`);
  if (exitCode === 0) continue;
  failed++;
  process.stdout.write(stdout);
  process.stdout.write(stderr);
}
process.exit(failed === 0 ? 0 : 1);
