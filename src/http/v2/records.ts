/** The production routes: records with numbers of their own, changed safely. */
import Type from 'typebox';
import type { Collection } from '../../domain/collection.ts';
import { Failure } from '../../domain/errors.ts';
import type { Json } from '../../domain/json.ts';
import type { Draft, Stored } from '../../domain/record.ts';
import type { Store, Unchanged } from '../../domain/store.ts';
import type { Incoming } from '../../wire/incoming.ts';
import type { Reply } from '../../wire/reply.ts';
import { type Bodies, bodyFailures } from '../body/json-body.ts';
import { alreadyHas, ifMatch, ifNoneMatch, preconditionOf } from '../route/etag.ts';
import {
  type Answer,
  jsonContent,
  type Operation,
  type Parameter,
  readFailures,
  writeFailures,
} from '../route/operation.ts';
import { empty, json } from '../route/reply.ts';
import type { Call, Route } from '../route/route.ts';
import { exampleOf, refTo, schemaNames } from '../route/schemas.ts';
import { addBulk, bulkType, isBulk } from './bulk.ts';
import { keyOf, onceOf } from './idempotency-key.ts';
import { listRoutes } from './list.ts';

export type V2Options = {
  readonly store: Store;
  readonly bodies: Bodies;
  readonly maxBulk: number;
  /** For so long a request that is sent again is known for the first. */
  readonly keysKept: number;
};

const mergePatch = 'application/merge-patch+json';
const patchTypes = [mergePatch, 'application/json'];

const ifMatchToRead: Parameter = { ...ifMatch, description: 'The ETag that the record must have, or 412 is answered.' };
const ifNotOne: Parameter = {
  name: 'If-None-Match',
  description: 'An ETag that the record must not have, or it is left as it is and answered with 412; * for any.',
  schema: Type.String({ examples: ['"1"'] }),
};
const idempotencyKey: Parameter = {
  name: 'Idempotency-Key',
  description: 'Chosen by you: sent again with the same body, nothing is made twice, and the first answer comes again.',
  schema: Type.String({ pattern: '^(?:[!#-~]{1,255}|"[!#-~]{1,255}")$', examples: ['order-66'] }),
};

export function v2Routes(collection: Collection, { store, bodies, maxBulk, keysKept }: V2Options): Route[] {
  const { name, singular, schemaName, pluralName } = collection;
  const shape = collection.record;
  const plural = `/api/v2/${name}`;
  const single = `${plural}/{id}`;
  const at = '2026-01-01T00:00:00.000Z';
  const stored: Stored = { seq: 1, version: 1, createdAt: at, updatedAt: at, row: collection.first };
  const names = schemaNames(collection);
  const example = exampleOf(shape.encode(stored));
  const { id: external_id, ...fields } = exampleOf(collection.encode(collection.first)) as Record<string, unknown>;
  const draftContent = (schema: string) => ({ schema: refTo(schema), example: { external_id, ...fields } });
  const draft = { 'application/json': draftContent(names.draft) };
  const recordAnswer = (status: number, description: string): Answer => ({
    status,
    description,
    headers: ['ETag'],
    content: jsonContent(refTo(names.record), example),
  });
  const parameter: Parameter = {
    name: 'id',
    description: `The number that the server gave the ${singular}.`,
    schema: Type.Integer({ format: 'int64', minimum: 1, examples: [1] }),
  };
  const operation = (
    id: string,
    summary: string,
    more: Pick<Operation, 'answers' | 'failures'> & Partial<Operation>,
  ) => ({
    id: `${id}V2`,
    tag: `v2 ${name}`,
    summary,
    problems: true as const,
    ...more,
  });

  function recordReply(status: number, record: Stored, headers: Reply['headers'] = {}): Reply {
    return json(status, shape.encode(record), { ETag: `"${record.version}"`, ...headers });
  }

  async function require(seq: number): Promise<Stored> {
    const found = await store.get(collection, seq);
    if (found === undefined) throw notFound();
    return found;
  }

  async function create(sent: Json, { request, caller }: Call): Promise<Reply> {
    const record = shape.parse(sent);
    const encoded = shape.encodeDraft(record);
    const digest = () => new Bun.CryptoHasher('sha256').update(encoded).digest('hex');
    const once = onceOf(keyOf(request, caller), digest, keysKept);
    const added =
      once === undefined
        ? await store.append(collection, encoded, record.id)
        : await store.appendOnce(collection, encoded, once);
    if (added === 'mismatch') throw new Failure('key_reused');
    if ('repeated' in added) return createdReply(added.repeated, { 'Idempotent-Replayed': 'true' });
    const { seq, at: createdAt } = added;
    const row = { ...record.fields, id: record.id ?? BigInt(seq) };
    return createdReply({ seq, version: 1, createdAt, updatedAt: createdAt, row });
  }

  function createdReply(record: Stored, headers: Reply['headers'] = {}): Reply {
    return recordReply(201, record, { Location: `${plural}/${record.seq}`, ...headers });
  }

  async function update(seq: number, request: Incoming, draft: Draft): Promise<Reply> {
    const updated = await store.update(collection, seq, shape.encodeDraft(draft), preconditionOf(request, versionIn));
    if (typeof updated === 'string') throw unchanged(updated);
    return recordReply(200, updated);
  }

  return [
    ...listRoutes(collection, store, example),
    {
      method: 'POST',
      path: plural,
      collection: name,
      operation: operation(`create${schemaName}`, `Add one ${singular}`, {
        body: draft,
        answers: [
          {
            ...recordAnswer(201, `The ${singular} as stored, and Location says where.`),
            headers: ['ETag', 'Location', 'Idempotent-Replayed'],
          },
        ],
        headers: [idempotencyKey],
        failures: [...bodyFailures, 'invalid_key', 'key_reused', 'timed_out', ...writeFailures],
      }),
      // In OpenAPI many records have a path of their own, so that each operation has one type of answer.
      handle: async (call) =>
        isBulk(call.request)
          ? addBulk(collection, store, call, { bodies, maxBulk, keysKept })
          : create(await bodies.read(call.request, shape.keys), call),
    },
    {
      method: 'POST',
      path: `${plural}/bulk`,
      collection: name,
      operation: operation(`create${pluralName}`, `Add many ${name}, a JSON object to a line: all of them, or none`, {
        body: {
          [bulkType]: {
            // Any other string, a generated client would send as a JSON string, in quotes.
            schema: Type.String({ format: 'binary', description: `A ${names.draft} to a line.` }),
            example: `${JSON.stringify({ external_id, ...fields })}\n`.repeat(2),
          },
        },
        answers: [
          {
            status: 201,
            description: `How many ${name} were added, and their ids.`,
            headers: ['Idempotent-Replayed'],
            content: jsonContent(refTo('BulkResult'), { created: 2, first_id: 2, last_id: 3 }),
          },
        ],
        headers: [idempotencyKey],
        failures: [...bodyFailures, 'invalid_key', 'key_reused', ...writeFailures],
      }),
      handle: (call) => addBulk(collection, store, call, { bodies, maxBulk, keysKept }),
    },
    {
      method: 'GET',
      path: single,
      collection: name,
      operation: operation(`get${schemaName}`, `Fetch one ${singular}`, {
        parameter,
        headers: [ifMatchToRead, ifNoneMatch],
        answers: [
          recordAnswer(200, `The ${singular}.`),
          { status: 304, description: 'You have it already.', headers: ['ETag'] },
        ],
        failures: ['invalid_id', 'not_found', 'precondition_failed', ...readFailures],
      }),
      handle: async ({ request, argument }) => {
        const found = await require(seqOf(argument));
        const tag = `"${found.version}"`;
        return alreadyHas(request, tag) ? empty(304, { ETag: tag }) : recordReply(200, found);
      },
    },
    {
      method: 'PUT',
      path: single,
      collection: name,
      operation: operation(`replace${schemaName}`, `Replace every field of one ${singular}`, {
        parameter,
        headers: [ifMatch, ifNotOne],
        body: draft,
        answers: [recordAnswer(200, `The ${singular} as it is now.`)],
        failures: ['invalid_id', ...bodyFailures, 'not_found', 'precondition_failed', ...writeFailures],
      }),
      handle: async ({ request, argument }) => {
        const seq = seqOf(argument);
        return update(seq, request, shape.parse(await bodies.read(request, shape.keys)));
      },
    },
    {
      method: 'PATCH',
      path: single,
      patchTypes,
      collection: name,
      operation: operation(`patch${schemaName}`, `Change some fields of one ${singular} (RFC 7396)`, {
        parameter,
        headers: [ifMatch, ifNotOne],
        // With a second type beside it, generated clients send one that they did not encode for.
        body: { [mergePatch]: draftContent(names.patch) },
        answers: [recordAnswer(200, `The ${singular} as it is now.`)],
        failures: [
          'invalid_id',
          ...bodyFailures,
          'unsupported_media_type',
          'not_found',
          'precondition_failed',
          ...writeFailures,
        ],
      }),
      handle: async ({ request, argument }) => {
        const seq = seqOf(argument);
        requirePatchType(request);
        return update(seq, request, shape.parsePatch(await bodies.read(request, shape.keys)));
      },
    },
    {
      method: 'DELETE',
      path: single,
      collection: name,
      operation: operation(`delete${schemaName}`, `Delete one ${singular}`, {
        parameter,
        headers: [ifMatch, ifNotOne],
        answers: [{ status: 204, description: `The ${singular} is gone.` }],
        failures: ['invalid_id', 'not_found', 'precondition_failed', ...writeFailures],
      }),
      handle: async ({ request, argument }) => {
        const done = await store.discard(collection, seqOf(argument), preconditionOf(request, versionIn));
        if (done !== 'done') throw unchanged(done);
        return empty(204);
      },
    },
  ];
}

/** A tag of a record is its version. */
function versionIn(opaque: string): number | undefined {
  return /^[1-9]\d{0,14}$/.test(opaque) ? Number(opaque) : undefined;
}

function requirePatchType(request: Incoming): void {
  const [type = ''] = (request.header('content-type') ?? '').split(';');
  if (patchTypes.includes(type.trim().toLowerCase())) return;
  throw new Failure('unsupported_media_type', { headers: { 'Accept-Patch': patchTypes.join(', ') } });
}

function seqOf(argument: string): number {
  if (!/^-?\d+$/.test(argument)) throw new Failure('invalid_id');
  const seq = Number(argument);
  // A whole number that the server has not made yet, or never will.
  if (!Number.isSafeInteger(seq) || seq < 1) throw notFound();
  return seq;
}

function notFound(): Failure {
  return new Failure('not_found');
}

function unchanged(why: Unchanged): Failure {
  return why === 'missing' ? notFound() : new Failure('precondition_failed');
}
