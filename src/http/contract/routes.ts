/** The contract's frozen routes for one collection, under one prefix. */

import Type from 'typebox';
import { everything } from '../../domain/access/view.ts';
import type { Bytes } from '../../domain/bytes.ts';
import { authorOf } from '../../domain/caller.ts';
import { Failure } from '../../domain/errors.ts';
import type { Json } from '../../domain/input/json.ts';
import type { Collection } from '../../domain/record/collection.ts';
import { soon } from '../../domain/soon.ts';
import type { Store } from '../../domain/store/store.ts';
import { exactInteger, shortInteger } from '../../exact/integer.ts';
import type { Reply } from '../../wire/answer/reply.ts';
import type { Incoming } from '../../wire/request/incoming.ts';
import { type Bodies, bodyFailures } from '../body/json-body.ts';
import { ifMatch, ifNoneMatch, isNotModified, preconditionOf } from '../route/etag.ts';
import { hideReferrers } from '../route/hide-referrers.ts';
import {
  clashFailures,
  jsonContent,
  notModified,
  readFailures,
  removalFailures,
  writeFailures,
} from '../route/operation.ts';
import { bytes, empty, json } from '../route/reply.ts';
import type { Call, Route } from '../route/route.ts';
import { contractExample, refTo, schemaNames } from '../route/schemas.ts';
import { bodyFor, forbidden, mayDelete, viewFor, writerFor } from '../route/sight.ts';
import { listReplies } from './list-reply.ts';

export type ContractOptions = {
  readonly store: Store;
  readonly bodies: Bodies;
  readonly prefix: string;
  /** Whether a reference to this collection exists, so that a deletion can be 409. */
  readonly isReferenced: boolean;
  /** Distinguishes a second mount of the same routes in OpenAPI. */
  readonly version?: string;
};

/** Empty unless the collection is declared with `contract`. */
export function contractRoutes(collection: Collection, options: ContractOptions): Route[] {
  const { store, bodies, prefix, version = '', isReferenced } = options;
  if (collection.contract === undefined) return [];
  const { name, singular, schemaName, pluralName } = collection;
  const { operations, id: idParameter } = collection.contract;
  const plural = `${prefix}/${name}`;
  const single = `${plural}/{${idParameter}}`;
  const tag = version === '' ? name : version;
  const suffix = version.toUpperCase();
  const schema = refTo(schemaName);
  const example = contractExample(collection);
  const all = everything(collection);
  const listReply = listReplies((call) => store.reads.list(viewFor(call, all), call.requester));
  const parameter = {
    name: idParameter,
    description: `The id of the ${singular}, in decimal digits with an optional minus sign.`,
    schema: Type.Integer({ format: 'int64', examples: [1] }),
  };
  function add(sent: Json, body: Collection, call: Call): Promise<Reply> {
    const row = body.parse(sent);
    const operation = { op: 'create', collection, json: body.encode(row) } as const;
    return store.writes
      .commit(writerFor(call), { operation, by: authorOf(call.caller), trace: call.trace })
      .then((created) => json(201, created.json));
  }

  const list: Route = {
    method: 'GET',
    sight: 'records',
    path: plural,
    collection: name,
    operation: {
      id: `list${pluralName}${suffix}`,
      tag,
      summary: `List all ${name} in insertion order`,
      headers: [ifNoneMatch],
      answers: [
        {
          status: 200,
          description: `All ${name}.`,
          headers: ['ETag', 'Vary', 'Content-Encoding'],
          content: jsonContent(Type.Array(schema), example && [example]),
        },
        notModified,
      ],
      failures: ['precondition_failed', ...readFailures],
    },
    handle: listReply,
  };

  const create: Route = {
    method: 'POST',
    sight: 'records',
    path: plural,
    collection: name,
    operation: {
      id: `create${schemaName}${suffix}`,
      tag,
      summary: `Add one ${singular} at the end of the collection`,
      body: jsonContent(refTo(schemaNames(collection).body), example),
      answers: [
        {
          status: 201,
          description: `The ${singular} as stored; it is on disk.`,
          content: jsonContent(schema, example),
        },
      ],
      failures: [...bodyFailures, ...clashFailures(collection), ...writeFailures],
    },
    handle: (call) => {
      const body = bodyFor(call, collection, 'create');
      if (body === undefined) throw forbidden(call, 'create', collection);
      return soon(bodies.read(call, body.members), (sent) => add(sent, body, call));
    },
  };

  const fetch: Route = {
    method: 'GET',
    sight: 'records',
    path: single,
    collection: name,
    operation: {
      id: `get${schemaName}${suffix}`,
      tag,
      summary: `Fetch the first ${singular} with this id`,
      parameter,
      headers: [ifNoneMatch],
      answers: [
        {
          status: 200,
          description: `The first ${singular} with this id.`,
          headers: ['ETag'],
          content: jsonContent(schema, example),
        },
        notModified,
      ],
      failures: ['invalid_id', 'not_found', 'precondition_failed', ...readFailures],
    },
    handle: (call) =>
      soon(store.reads.contractRecord(viewFor(call, all), parseId(call.argument), call.requester), (record) =>
        recordReply(store, call.request, record),
      ),
  };

  const remove: Route = {
    method: 'DELETE',
    sight: 'records',
    path: single,
    collection: name,
    operation: {
      id: `delete${schemaName}${suffix}`,
      tag,
      summary: `Delete the first ${singular} with this id`,
      parameter,
      headers: [ifMatch],
      answers: [{ status: 204, description: `The ${singular} is deleted, also on disk.` }],
      failures: removalFailures(isReferenced),
    },
    handle: async (call) => {
      const { request, argument, caller } = call;
      const when = preconditionOf(request, tagIn);
      const operation = { op: 'delete first', collection, contractId: parseId(argument), when } as const;
      if (!mayDelete(call, collection)) {
        if ((await store.reads.contractRecord(viewFor(call, all), operation.contractId)) === undefined)
          throw notFound();
        throw forbidden(call, 'delete', collection);
      }
      const by = authorOf(caller);
      const removed = store.writes.commit(writerFor(call), {
        operation,
        by,
        trace: call.trace,
        permitted: caller.collections,
      });
      const done = await hideReferrers(caller, removed);
      if (done === 'missing') throw notFound();
      if (done === 'conflict') throw new Failure('precondition_failed');
      return empty(204);
    },
  };

  return [
    list,
    create,
    ...(operations.includes('fetch') ? [fetch] : []),
    ...(operations.includes('delete') ? [remove] : []),
  ];
}

function recordReply(store: Store, request: Incoming, record: Bytes | undefined): Reply {
  if (record === undefined) throw notFound();
  const headers = { 'Content-Type': 'application/json', ETag: store.reads.tagOf(record) };
  return isNotModified(request, headers.ETag) ? empty(304, headers) : bytes(200, record, headers);
}

/** Undefined for a text that cannot be the tag of a record: too long, or with other characters. */
function tagIn(opaque: string): string | undefined {
  return /^[\w-]{1,64}$/.test(opaque) ? `"${opaque}"` : undefined;
}

function parseId(argument: string): bigint {
  const short = shortInteger(argument);
  if (short !== undefined) return BigInt(short);
  if (!/^-?\d+$/.test(argument)) throw new Failure('invalid_id');
  const contractId = exactInteger(argument);
  if (typeof contractId === 'bigint') return contractId;
  // An integer out of range: no record has it.
  throw notFound();
}

function notFound(): Failure {
  return new Failure('not_found', { detail: 'Not found' });
}
