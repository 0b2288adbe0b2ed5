/** The workflows run scripts that exist, and actions at a fixed commit; with actionlint also what it checks. */
import { expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import packageJson from '../../package.json' with { type: 'json' };
import { systemTool } from '../../scripts/tools/system-tool.ts';
import { runCommand } from '../support/servers/command.ts';
import { root } from '../support/servers/process.ts';

const folder = join(root, '.github/workflows');
const files = readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')] as const);

test('there are workflows', () => {
  expect(files.map(([name]) => name)).toEqual(['check.yml', 'release.yml']);
});

test.each(files)('%s runs scripts that exist, and actions at a fixed commit', (_, text) => {
  for (const [, script = ''] of text.matchAll(/npm run ([\w-]+)/g))
    expect(Object.keys(packageJson.scripts)).toContain(script);
  const actions = [...text.matchAll(/uses: (.*)/g)].map(([, action = '']) => action);
  expect(actions.length).toBeGreaterThan(1);
  // The rights of a workflow are what its jobs name.
  expect(text).toContain('permissions:\n  contents: read\n');
  for (const action of actions) expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
});

test('Linux x64 has the tools of all tests, and a release keeps CI', () => {
  const [check = '', release = ''] = files.map(([, text]) => text);
  for (const tool of ['cmd/actionlint@v', 'cmd/helm@v', 'chromium', 'strace', 'haproxy']) expect(check).toContain(tool);
  // sudo drops variables that it is not asked to keep.
  const asRoot = [...`${check}${release}`.matchAll(/sudo (.*) npm run/g)];
  expect(asRoot.map(([, kept]) => kept)).toEqual(['--preserve-env=PATH,CI']);
});

const actionlint = systemTool('actionlint');
test.skipIf(actionlint === undefined)('actionlint accepts them', async () => {
  expect(await runCommand([actionlint ?? ''], { cwd: root })).toMatchObject({ stdout: '', code: 0 });
});
