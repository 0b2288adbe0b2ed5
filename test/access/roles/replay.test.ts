/** A retry after the rules have changed: its answer is judged by the rules of now. */
import { expect, test } from 'bun:test';
import type { AccessDeclaration, AccessRule } from '../../../src/domain/access/declaration.ts';
import { declared } from '../../support/data/library.ts';
import { lastingEngines } from '../../support/servers/engines.ts';
import { startRoleServer } from '../../support/servers/role-server.ts';

const collections = declared({
  notes: { singular: 'note', fields: { title: 'text', owner: 'integer', hidden: { type: 'text', default: 'h' } } },
}).filter(({ name }) => name === 'notes');
const owner = { role: 'owner', claims: { id: 7 } };
const write: AccessRule = { read: { where: { owner: '$caller.id' } }, create: { set: { owner: '$caller.id' } } };
const rulesOf = (rule: AccessRule): AccessDeclaration => ({
  roles: { owner: { from: { claim: 'id' } } },
  collections: { notes: { owner: rule } },
});

const doors = [
  ['POST', '/api/v2/notes', { title: 'one' }],
  [
    'POST',
    '/api/v2/transactions',
    { operations: [{ op: 'create', collection: 'notes', record: { title: 'two' } }], return: 'records' },
  ],
] as const;

test.each(lastingEngines())('%s', async (_, newUrl) => {
  const url = await newUrl();
  /** The answers to the same requests, by a server with these rules. */
  async function ask(rule: AccessRule) {
    const server = await startRoleServer(collections, rulesOf(rule), url);
    try {
      const answers = [];
      for (const [at, [method, path, body]] of doors.entries())
        answers.push(await server.ask(owner, method, path, body, { 'Idempotency-Key': `key-${at}` }));
      return answers;
    } finally {
      await server.stop();
    }
  }

  const first = await ask(write);
  expect(first.map(({ status, text }) => [status, text.includes('"hidden":"h"')])).toEqual([
    [201, true],
    [200, true],
  ]);
  const same = await ask(write);
  expect(same.map(({ headers, text }) => [headers.get('idempotent-replayed'), text])).toEqual(
    first.map(({ text }) => ['true', text]),
  );
  const fewer = await ask({ ...write, read: { where: { owner: '$caller.id' }, fields: ['title', 'owner'] } });
  expect(fewer.map(({ headers, text }) => [headers.get('idempotent-replayed'), text.includes('hidden')])).toEqual([
    ['true', false],
    ['true', false],
  ]);
  const unread = await ask({ ...write, read: { where: { owner: { gt: 7 } } } });
  for (const { text } of unread) for (const value of ['one', 'two', 'hidden']) expect(text).not.toContain(value);
  for (const rule of [{ read: true }, 'read'] as const)
    expect((await ask(rule)).map(({ status }) => status)).toEqual([403, 403]);
  expect((await ask({ create: false, delete: true })).map(({ status }) => status)).toEqual([403, 403]);
});
