/** Guards of changes that only rules of their own meet: keys of hidden records, conditions after an update, references and rules of the collection. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import type { AccessDeclaration } from '../../../src/domain/access/declaration.ts';
import { temporaryFolder } from '../../support/data/folder.ts';
import { declared } from '../../support/data/library.ts';
import { admin } from '../../support/data/private-library.ts';
import { type EngineUnderTest, emptyEngines } from '../../support/servers/engines.ts';
import { type Answer, type As, type RoleServer, startRoleServer } from '../../support/servers/role-server.ts';

const folder = temporaryFolder();
const engines: readonly EngineUnderTest[] = [...emptyEngines, ['sqlite', () => `sqlite:${join(folder, 'guards.db')}`]];

const file = {
  desks: { singular: 'desk', fields: { name: 'text', open: 'boolean' } },
  things: {
    singular: 'thing',
    fields: {
      code: { type: 'text', max: 20, unique: true },
      owner: 'integer',
      state: { type: 'choice', of: ['draft', 'open', 'closed'], default: 'draft' },
      desk: { type: 'reference', to: 'desks', optional: true },
      secret: { type: 'integer', default: 0 },
    },
    check: [{ where: { any: [{ state: { ne: 'open' } }, { secret: { lt: 5 } }] }, message: 'does not fit' }],
  },
};
const collections = declared(file).filter(({ name }) => Object.hasOwn(file, name));
const fields = ['code', 'state', 'desk'];
const set = { owner: '$caller.id' };
const rules: AccessDeclaration = {
  roles: { owner: { from: { claim: 'id' } }, teller: { from: { claim: 'desk' } } },
  collections: {
    desks: { owner: { read: { where: { open: true } } } },
    things: {
      owner: {
        read: { where: { owner: '$caller.id' }, fields: ['owner', ...fields] },
        create: { fields, set, check: { state: { ne: 'closed' } } },
        update: { where: { state: { ne: 'closed' } }, fields, set, check: { state: { in: ['draft', 'open'] } } },
      },
      teller: { read: { fields: ['code'] }, update: { fields: ['secret'] } },
    },
  },
};
const owner = (id = 7) => ({ role: 'owner', claims: { id } });
const teller = { role: 'teller', claims: { desk: 1 } };

describe.each(engines)('%s', (_, newUrl) => {
  let server: RoleServer;
  let openDesk = 0;
  let closedDesk = 0;
  let made = 0;
  const idOf = ({ status, json, text }: Answer) => {
    if (status !== 201) throw new Error(text);
    return (json as { id: number }).id;
  };
  const add = async (collection: string, record: object) =>
    idOf(await server.ask(admin, 'POST', `/api/v2/${collection}`, record));
  const thing = async (more: object = {}) => {
    const code = `c${made++}`;
    return { code, id: await add('things', { code, owner: 7, ...more }) };
  };
  const shown = async (id: number) => (await server.ask(admin, 'GET', `/api/v2/things/${id}`)).json;
  const patch = (id: number, body: object, as: As = owner()) => server.ask(as, 'PATCH', `/api/v2/things/${id}`, body);
  const keyed = (...records: object[]) =>
    server.ask(owner(), 'POST', '/api/v2/things?key=code', records.map((one) => JSON.stringify(one)).join('\n'), {
      'Content-Type': 'application/x-ndjson',
    });

  beforeAll(async () => {
    server = await startRoleServer(collections, rules, await newUrl());
    openDesk = await add('desks', { name: 'one', open: true });
    closedDesk = await add('desks', { name: 'two', open: false });
  });
  afterAll(() => server.stop());

  describe('a bulk with a key', () => {
    test('creates with what the server sets, and changes what it finds', async () => {
      const done = await keyed({ code: 'new', state: 'open', desk: openDesk });
      expect([done.status, done.json]).toMatchObject([201, { created: 1, updated: 0 }]);
      const { first_id: id } = done.json as { first_id: number };
      expect(await shown(id)).toMatchObject({ owner: 7, state: 'open', desk: openDesk });
      expect((await keyed({ code: 'new', state: 'draft' })).json).toMatchObject({ created: 0, updated: 1 });
      expect(await shown(id)).toMatchObject({ owner: 7, state: 'draft', version: 2 });
    });

    test('does not change a hidden record: its key is taken', async () => {
      const { code, id } = await thing({ owner: 8 });
      const clash = await keyed({ code, state: 'open' });
      expect([clash.status, clash.text]).toEqual([409, expect.stringContaining('already-exists')]);
      expect(clash.text).not.toContain(`"id":${id}`);
      expect(await shown(id)).toMatchObject({ owner: 8, state: 'draft', version: 1 });
    });

    test('does not change a record that the rule for updates leaves out', async () => {
      const { code, id } = await thing({ state: 'closed' });
      const refused = await keyed({ code: 'unmade', state: 'open' }, { code, state: 'open' });
      expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('Line 2')]);
      expect(await shown(id)).toMatchObject({ state: 'closed', version: 1 });
    });

    test('is judged after the change, of a new record and of one that it finds', async () => {
      const { code, id } = await thing();
      expect((await keyed({ code, state: 'closed' })).status).toBe(403);
      expect((await keyed({ code: 'never', state: 'closed' })).status).toBe(403);
      expect(await shown(id)).toMatchObject({ state: 'draft', version: 1 });
    });

    test('leads to no hidden record', async () => {
      const { code } = await thing();
      const to = async (desk: number) => (await keyed({ code, desk })).text.replaceAll(String(desk), 'DESK');
      expect(await to(closedDesk)).toContain('reference-missing');
      expect((await keyed({ code, desk: closedDesk })).status).toBe(409);
    });
  });

  test('an update leads to no hidden record', async () => {
    const { id } = await thing();
    const [hidden, missing] = [await patch(id, { desk: closedDesk }), await patch(id, { desk: 9999 })];
    expect([hidden.status, hidden.text]).toEqual([409, missing.text.replaceAll('9999', String(closedDesk))]);
    expect((await patch(id, { desk: openDesk })).json).toMatchObject({ desk: openDesk, version: 2 });
  });

  test('an update is judged by check after the change, and by where before it', async () => {
    const [draft, closed] = [await thing(), await thing({ state: 'closed' })];
    expect((await patch(draft.id, { state: 'closed' })).status).toBe(403);
    expect((await patch(draft.id, { state: 'open' })).status).toBe(200);
    expect((await patch(closed.id, { state: 'draft' })).status).toBe(403);
    const put = await server.ask(owner(), 'PUT', `/api/v2/things/${closed.id}`, { code: 'put', state: 'draft' });
    expect(put.status).toBe(403);
    expect([await shown(draft.id), await shown(closed.id)]).toMatchObject([
      { state: 'open' },
      { state: 'closed', version: 1 },
    ]);
  });

  test('an update gets what the server sets, and refuses another value', async () => {
    const { id } = await thing();
    const other = await patch(id, { owner: 8 });
    expect([other.status, other.text]).toEqual([400, expect.stringContaining('set by the server')]);
    expect((await patch(id, { owner: 7, state: 'open' })).json).toMatchObject({ owner: 7, version: 2 });
  });

  test('a rule of the collection that a hidden field breaks names the visible fields alone', async () => {
    const { id } = await thing({ secret: 9 });
    const broken = await patch(id, { state: 'open' });
    expect([broken.status, broken.json]).toMatchObject([400, { errors: [{ pointer: '#/state' }] }]);
    expect(broken.text).not.toContain('secret');
    const open = await thing({ state: 'open' });
    const blind = await patch(open.id, { secret: 9 }, teller);
    expect([blind.status, blind.text]).toEqual([400, expect.stringContaining('breaks a rule of the collection')]);
    expect(blind.text).not.toContain('state');
  });

  test('a field that is sent and not seen is in no answer', async () => {
    const { id, code } = await thing();
    expect((await patch(id, { secret: 3 }, teller)).json).toEqual({
      id,
      code,
      version: 2,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    expect(await shown(id)).toMatchObject({ secret: 3 });
  });

  test('a check of a hidden record is one of a missing record, also with its version', async () => {
    const { id } = await thing({ owner: 8 });
    const check = (of: number, more: object) =>
      server.ask(owner(), 'POST', '/api/v2/transactions', {
        operations: [{ op: 'check', collection: 'things', id: of, ...more }],
      });
    for (const more of [{}, { version: 1 }, { exists: true }, { where: { state: 'draft' } }]) {
      const [hidden, missing] = [await check(id, more), await check(9999, more)];
      expect([more, hidden.status, hidden.text]).toEqual([more, 409, missing.text]);
    }
    expect((await check(id, { exists: false })).status).toBe(200);
  });

  test('tags and conditions of requests tell of no hidden record', async () => {
    const [mine, theirs] = [await thing(), await thing({ owner: 8 })];
    const get = (id: number, headers: Record<string, string>) =>
      server.ask(owner(), 'GET', `/api/v2/things/${id}`, undefined, headers);
    const remove = (headers: Record<string, string>) =>
      server.ask(teller, 'DELETE', `/api/v2/things/${mine.id}`, undefined, headers);
    expect((await get(mine.id, { 'If-None-Match': '"1"' })).status).toBe(304);
    for (const tag of ['"1"', '*', 'W/"1"']) {
      const [hidden, missing] = [
        await get(theirs.id, { 'If-None-Match': tag }),
        await get(9999, { 'If-None-Match': tag }),
      ];
      expect([tag, hidden.status, hidden.text]).toEqual([tag, 404, missing.text.replaceAll('9999', String(theirs.id))]);
      expect(hidden.headers.get('etag')).toBeNull();
    }
    // Before its version is compared.
    expect([(await remove({ 'If-Match': '"9"' })).status, (await remove({ 'If-Match': '"1"' })).status]).toEqual([
      403, 403,
    ]);
    const list = () => server.ask(owner(), 'GET', '/api/v2/things?code=none');
    const before = await list();
    await thing({ owner: 8 });
    expect((await list()).headers.get('etag')).toBe(before.headers.get('etag'));
  });
});
