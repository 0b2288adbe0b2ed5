/** The routes for the records of one collection. */
import type { Collection } from '../../domain/collection.ts';
import { Failure } from '../../domain/errors.ts';
import type { Json } from '../../domain/json.ts';
import type { Draft, Stored } from '../../domain/record.ts';
import type { Store, Unchanged } from '../../domain/store.ts';
import type { Incoming } from '../../wire/incoming.ts';
import type { Reply } from '../../wire/reply.ts';
import type { Bodies } from '../body/json-body.ts';
import { isNotModified, preconditionOf } from '../route/etag.ts';
import { empty, json } from '../route/reply.ts';
import type { Call, Route } from '../route/route.ts';
import { addBulk, isBulk } from './add-bulk.ts';
import { idempotencyKeyOf, onceOf, requireSameBody } from './idempotency-key.ts';
import { listRoutes } from './list.ts';
import { patchTypes, recordOperations } from './operations.ts';

export type V2Options = {
  readonly store: Store;
  readonly bodies: Bodies;
  readonly maxBulk: number;
  /** In milliseconds: the TTL of an Idempotency-Key. */
  readonly idempotency: number;
};

export function v2Routes(collection: Collection, { store, bodies, maxBulk, idempotency }: V2Options): Route[] {
  const { name, record: shape } = collection;
  const plural = `/api/v2/${name}`;
  const single = `${plural}/{id}`;
  const operations = recordOperations(collection);

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
    const once = onceOf(idempotencyKeyOf(request, caller), digest, idempotency);
    const added =
      once === undefined
        ? await store.append(collection, encoded, record.id)
        : requireSameBody(await store.appendOnce(collection, encoded, record.id, once));
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
    ...listRoutes(collection, store),
    {
      method: 'POST',
      path: plural,
      collection: name,
      operation: operations.create,
      // In OpenAPI bulks have their own path, so that each operation has one type of answer.
      handle: async (call) =>
        isBulk(call.request)
          ? addBulk(collection, store, call, { bodies, maxBulk, idempotency })
          : create(await bodies.read(call.request, shape.keys), call),
    },
    {
      method: 'POST',
      path: `${plural}/bulk`,
      collection: name,
      operation: operations.createMany,
      handle: (call) => addBulk(collection, store, call, { bodies, maxBulk, idempotency }),
    },
    {
      method: 'GET',
      path: single,
      collection: name,
      operation: operations.get,
      handle: async ({ request, argument }) => {
        const found = await require(seqOf(argument));
        const tag = `"${found.version}"`;
        return isNotModified(request, tag) ? empty(304, { ETag: tag }) : recordReply(200, found);
      },
    },
    {
      method: 'PUT',
      path: single,
      collection: name,
      operation: operations.replace,
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
      operation: operations.patch,
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
      operation: operations.remove,
      handle: async ({ request, argument }) => {
        const done = await store.discard(collection, seqOf(argument), preconditionOf(request, versionIn));
        if (done !== 'done') throw unchanged(done);
        return empty(204);
      },
    },
  ];
}

/** The ETag of a record is its version. */
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
  // The server has not assigned this id.
  if (!Number.isSafeInteger(seq) || seq < 1) throw notFound();
  return seq;
}

function notFound(): Failure {
  return new Failure('not_found');
}

function unchanged(why: Unchanged): Failure {
  return why === 'missing' ? notFound() : new Failure('precondition_failed');
}
