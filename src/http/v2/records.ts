/** The routes for the records of one collection. */
import { everything, seenIn } from '../../domain/access/view.ts';
import { authorOf } from '../../domain/caller.ts';
import { Failure } from '../../domain/errors.ts';
import type { Json } from '../../domain/input/json.ts';
import { parametersOf, requireNoParameters, unknownParameter } from '../../domain/input/parameters.ts';
import { sentMembers, withTexts } from '../../domain/input/sent-members.ts';
import { lazy } from '../../domain/lazy.ts';
import { type Collection, isReferenced } from '../../domain/record/collection.ts';
import type { Draft, Recorded, RecordShape } from '../../domain/record/record.ts';
import { type Soon, soon } from '../../domain/soon.ts';
import type { Store } from '../../domain/store/store.ts';
import type { Unchanged } from '../../domain/store/transaction.ts';
import type { Reply } from '../../wire/answer/reply.ts';
import type { Incoming } from '../../wire/request/incoming.ts';
import type { Bodies } from '../body/json-body.ts';
import { isNotModified, preconditionOf } from '../route/etag.ts';
import { hideReferrers } from '../route/hide-referrers.ts';
import { bytes, empty, json } from '../route/reply.ts';
import { jsonWithEtag } from '../route/reply-with-etag.ts';
import type { Call, Route } from '../route/route.ts';
import { bodyFor, forbidden, mayDelete, viewFor, writerFor } from '../route/sight.ts';
import { addBulk } from './add-bulk.ts';
import { bulkFormatOf } from './bulk-records.ts';
import { Expander, withMore } from './expand.ts';
import { digestOf, idempotencyKeyOf, onceOf, replayed } from './idempotency-key.ts';
import { listRoutes } from './list.ts';
import { mergePatch, patchTypes, recordOperations } from './operations.ts';
import { summaryRoute } from './summary.ts';

export type V2Options = {
  /** All collections, because references lead to other collections. */
  readonly collections: readonly Collection[];
  readonly store: Store;
  readonly bodies: Bodies;
  readonly maxBulk: number;
  /** In milliseconds: the TTL of an Idempotency-Key. */
  readonly idempotency: number;
};

export function v2Routes(
  collection: Collection,
  { collections, store, bodies, maxBulk, idempotency }: V2Options,
): Route[] {
  const { name } = collection;
  const all = everything(collection);
  const plural = `/api/v2/${name}`;
  const single = `${plural}/{id}`;
  const bulkOptions = { bodies, maxBulk, idempotency };
  const expander = new Expander(collection, collections, store.reads);
  const operations = lazy(() => recordOperations(collection, expander.parameter, isReferenced(name, collections)));

  function recordReply(status: number, record: Recorded, headers: Reply['headers'] = {}): Reply {
    return json(status, collection.record.encodeRecorded(record), { ETag: `"${record.version}"`, ...headers });
  }

  function readOne(recordId: number, call: Call): Soon<Reply> {
    return soon(store.reads.one(viewFor(call, all), recordId, call.requester), (found) => {
      const { request } = call;
      if (found === undefined) throw notFound();
      const tag = `"${found.version}"`;
      if (isNotModified(request, tag)) return empty(304, { ETag: tag });
      return bytes(200, found.bytes, { 'Content-Type': 'application/json', ETag: tag });
    });
  }

  async function readExpanded(recordId: number, call: Call, expand: string): Promise<Reply> {
    const view = viewFor(call, all);
    const { records } = await store.reads.some(view, [recordId], call.requester);
    const [found] = records;
    if (found === undefined) throw notFound();
    // The referenced records have versions of their own, so the tag covers the whole answer. It starts with the version, which
    // conditional changes compare.
    const more = await expander.expand(expand, records, call);
    const answer = withMore(seenIn(view).record.encode(found), more(found) ?? '');
    return jsonWithEtag(call.request, answer, { Vary: 'Accept-Encoding' }, `${found.version}-`);
  }

  async function create(call: Call): Promise<Reply> {
    const { request, caller } = call;
    const body = bodyFor(call, collection, 'create');
    if (body === undefined) throw forbidden(call, 'create', collection);
    const { record: shape } = body;
    const key = idempotencyKeyOf(request, caller);
    const sent = await bodies.read(call, key === undefined ? shape.members : withTexts(shape.members));
    const encoded = shape.encodeDraft(shape.parse(sent));
    const once = onceOf(key, idempotency, () => ({
      digest: digestOf(sentMembers(sent, shape.members.texts)),
      former: digestOf(encoded),
    }));
    const operation = { op: 'create', collection, json: encoded } as const;
    const created = await store.writes.commit(writerFor(call), {
      operation,
      once,
      by: authorOf(caller),
      trace: call.trace,
    });
    return recordReply(201, created, { Location: `${plural}/${created.recordId}`, ...replayed(created.isRepeated) });
  }

  /** A change needs a record that the caller may read, and a rule that allows the operation. */
  async function unallowed(recordId: number, call: Call, operation: string): Promise<Failure> {
    const found = await store.reads.one(viewFor(call, all), recordId);
    return found === undefined ? notFound() : forbidden(call, operation, collection);
  }

  async function update(call: Call, parse: (shape: RecordShape) => (sent: Json) => Draft): Promise<Reply> {
    const recordId = recordIdOf(call.argument);
    const body = bodyFor(call, collection, 'update');
    if (body === undefined) throw await unallowed(recordId, call, 'update');
    const { record: shape } = body;
    const draft = parse(shape)(await bodies.read(call, shape.members));
    const when = preconditionOf(call.request, versionIn);
    const operation = { op: 'update', collection, recordId, json: shape.encodeDraft(draft), when } as const;
    const updated = await store.writes.commit(writerFor(call), {
      operation,
      by: authorOf(call.caller),
      trace: call.trace,
    });
    if (typeof updated === 'string') throw unchanged(updated);
    return recordReply(200, updated);
  }

  return [
    ...listRoutes(collection, store, expander),
    summaryRoute(collection, store, expander),
    {
      method: 'POST',
      sight: 'records',
      path: plural,
      collection: name,
      get operation() {
        return operations().create;
      },
      // In OpenAPI bulks have their own path, so that each operation has one type of answer.
      readsQuery: true,
      handle: async (call) => {
        const format = bulkFormatOf(call.request);
        if (format !== undefined) return addBulk(format, collection, store, call, bulkOptions);
        requireNoParameters(call.search);
        return create(call);
      },
    },
    {
      method: 'POST',
      sight: 'records',
      path: `${plural}/bulk`,
      collection: name,
      get operation() {
        return operations().createMany;
      },
      readsQuery: true,
      handle: (call) => addBulk(bulkFormatOf(call.request) ?? 'lines', collection, store, call, bulkOptions),
    },
    {
      method: 'GET',
      sight: 'records',
      path: single,
      collection: name,
      get operation() {
        return operations().get;
      },
      handle: (call) => {
        const expand = expandOf(call.search);
        const recordId = recordIdOf(call.argument);
        return expand === undefined ? readOne(recordId, call) : readExpanded(recordId, call, expand);
      },
    },
    {
      method: 'PUT',
      sight: 'records',
      path: single,
      collection: name,
      get operation() {
        return operations().replace;
      },
      handle: (call) => update(call, (shape) => shape.parse),
    },
    {
      method: 'PATCH',
      sight: 'records',
      path: single,
      patchTypes,
      collection: name,
      get operation() {
        return operations().patch;
      },
      handle: async (call) => {
        recordIdOf(call.argument);
        requirePatchType(call.request);
        return update(call, (shape) => shape.parsePatch);
      },
    },
    {
      method: 'DELETE',
      sight: 'records',
      path: single,
      collection: name,
      get operation() {
        return operations().remove;
      },
      handle: async (call) => {
        const { request, argument, caller } = call;
        const when = preconditionOf(request, versionIn);
        const operation = { op: 'delete', collection, recordId: recordIdOf(argument), when } as const;
        if (!mayDelete(call, collection)) throw await unallowed(operation.recordId, call, 'delete');
        const by = authorOf(caller);
        const deleted = store.writes.commit(writerFor(call), {
          operation,
          by,
          trace: call.trace,
          permitted: caller.collections,
        });
        const done = await hideReferrers(caller, deleted);
        if (done !== 'done') throw unchanged(done);
        return empty(204);
      },
    },
  ];
}

/** The only query parameter of a single record. Throws `invalid_query`. */
function expandOf(search: string): string | undefined {
  const values = parametersOf(search).map(([name, value]) => {
    if (name !== 'expand') throw unknownParameter(name, ['expand']);
    return value;
  });
  return values.length === 0 ? undefined : values.join();
}

/** The ETag of a record is its version; with `expand`, a digest follows. */
function versionIn(opaque: string): number | undefined {
  const version = /^([1-9]\d{0,14})(?:-[\w-]+)?$/.exec(opaque)?.[1];
  return version === undefined ? undefined : Number(version);
}

function requirePatchType(request: Incoming): void {
  const [type = ''] = (request.header('content-type') ?? '').split(';');
  if (patchTypes.includes(type.trim().toLowerCase())) return;
  const received =
    type === '' ? 'There is no Content-Type' : `Unsupported Content-Type ${JSON.stringify(type.slice(0, 100))}`;
  throw new Failure('unsupported_media_type', {
    detail: `${received}: send application/json, or ${mergePatch}.`,
    headers: { 'Accept-Patch': patchTypes.join(', ') },
  });
}

function recordIdOf(argument: string): number {
  if (!/^-?\d+$/.test(argument)) throw new Failure('invalid_id');
  const recordId = Number(argument);
  // The server cannot have assigned this id.
  if (!Number.isSafeInteger(recordId) || recordId < 1) throw notFound();
  return recordId;
}

function notFound(): Failure {
  return new Failure('not_found');
}

function unchanged(why: Unchanged): Failure {
  return why === 'missing' ? notFound() : new Failure('precondition_failed');
}
