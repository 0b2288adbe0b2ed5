/** What OpenAPI says of the routes for single records and bulks. */
import Type from 'typebox';
import type { Collection } from '../../domain/collection.ts';
import type { Stored } from '../../domain/record.ts';
import { bodyFailures } from '../body/json-body.ts';
import { ifMatch, ifNoneMatch } from '../route/etag.ts';
import {
  type Answer,
  jsonContent,
  type Operation,
  type Parameter,
  readFailures,
  writeFailures,
} from '../route/operation.ts';
import { exampleOf, refTo, schemaNames } from '../route/schemas.ts';
import { bulkType } from './add-bulk.ts';

const mergePatch = 'application/merge-patch+json';
export const patchTypes = [mergePatch, 'application/json'];

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

/** A record as the documentation shows it. */
export function exampleRecord({ record, first }: Collection): unknown {
  const at = '2026-01-01T00:00:00.000Z';
  const stored: Stored = { seq: 1, version: 1, createdAt: at, updatedAt: at, row: first };
  return exampleOf(record.encode(stored));
}

export function recordOperations(collection: Collection) {
  const { name, singular, schemaName, pluralName } = collection;
  const names = schemaNames(collection);
  const { id: external_id, ...fields } = exampleOf(collection.encode(collection.first)) as Record<string, unknown>;
  const draftContent = (schema: string) => ({ schema: refTo(schema), example: { external_id, ...fields } });
  const draft = { 'application/json': draftContent(names.draft) };
  const recordAnswer = (status: number, description: string): Answer => ({
    status,
    description,
    headers: ['ETag'],
    content: jsonContent(refTo(names.record), exampleRecord(collection)),
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
  ): Operation => ({
    id: `${id}V2`,
    tag: `v2 ${name}`,
    summary,
    problems: true as const,
    ...more,
  });

  return {
    create: operation(`create${schemaName}`, `Add one ${singular}`, {
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
    createMany: operation(`create${pluralName}`, `Add many ${name}, a JSON object to a line: all of them, or none`, {
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
    get: operation(`get${schemaName}`, `Fetch one ${singular}`, {
      parameter,
      headers: [ifMatchToRead, ifNoneMatch],
      answers: [
        recordAnswer(200, `The ${singular}.`),
        { status: 304, description: 'You have it already.', headers: ['ETag'] },
      ],
      failures: ['invalid_id', 'not_found', 'precondition_failed', ...readFailures],
    }),
    replace: operation(`replace${schemaName}`, `Replace every field of one ${singular}`, {
      parameter,
      headers: [ifMatch, ifNotOne],
      body: draft,
      answers: [recordAnswer(200, `The ${singular} as it is now.`)],
      failures: ['invalid_id', ...bodyFailures, 'not_found', 'precondition_failed', ...writeFailures],
    }),
    patch: operation(`patch${schemaName}`, `Change some fields of one ${singular} (RFC 7396)`, {
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
    remove: operation(`delete${schemaName}`, `Delete one ${singular}`, {
      parameter,
      headers: [ifMatch, ifNotOne],
      answers: [{ status: 204, description: `The ${singular} is gone.` }],
      failures: ['invalid_id', 'not_found', 'precondition_failed', ...writeFailures],
    }),
  };
}
