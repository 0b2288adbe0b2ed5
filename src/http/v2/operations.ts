/** The OpenAPI operations for single records and bulks. */
import Type from 'typebox';
import type { Collection } from '../../domain/record/collection.ts';
import { exactJson } from '../../domain/record/json-schema.ts';
import type { Stored } from '../../domain/record/record.ts';
import { listed } from '../../domain/record/rule-text.ts';
import { keysOf } from '../../domain/record/unique-rules.ts';
import { brokenBy, clashFailure } from '../../domain/store/constraint-clash.ts';
import { bodyFailures } from '../body/json-body.ts';
import { ifMatch, ifNoneMatch } from '../route/etag.ts';
import {
  type Answer,
  clashFailures,
  jsonContent,
  type Operation,
  type Parameter,
  readFailures,
  removalFailures,
  writeFailures,
} from '../route/operation.ts';
import { problemBody } from '../route/problem.ts';
import { contractExample, oneOf, refTo, schemaNames } from '../route/schemas.ts';
import { bulkTypes } from './bulk-records.ts';

export const mergePatch = 'application/merge-patch+json';
export const patchTypes = [mergePatch, 'application/json'];

const ifMatchToRead: Parameter = {
  ...ifMatch,
  description: 'The ETag that the record must have; otherwise the answer is 412.',
};
const ifNoneMatchToWrite: Parameter = {
  name: 'If-None-Match',
  description: 'An ETag that the record must not have (* for any); otherwise nothing is changed and the answer is 412.',
  schema: Type.String({ examples: ['"1"'] }),
};
export const idempotencyKey: Parameter = {
  name: 'Idempotency-Key',
  description:
    'Chosen by the client. A retry with the same key and body changes nothing, and gets the first answer again.',
  schema: Type.String({ pattern: '^(?:[!#-~]{1,255}|"[!#-~]{1,255}")$', examples: ['order-66'] }),
};

function keyParameter(keys: readonly (readonly string[])[]): Parameter {
  return {
    name: 'key',
    description:
      'The fields of a unique rule, separated by commas. A record that exists with the same values is updated as by PATCH; one that does not is created.',
    schema: oneOf(keys.map((fields) => fields.join())),
  };
}

/** An example for the documentation; undefined if none is known. */
export function exampleRecord({ record, example }: Collection): unknown {
  if (example === undefined) return undefined;
  const at = '2026-01-01T00:00:00.000Z';
  const stored: Stored = { recordId: 1, version: 1, createdAt: at, updatedAt: at, row: example };
  return exactJson(record.encode(stored));
}

/** The part of the example that a client sends. */
export function exampleDraft(collection: Collection): unknown {
  const { id, ...fields } = contractExample(collection) ?? {};
  if (collection.example === undefined) return undefined;
  return collection.contract === undefined ? fields : { external_id: id, ...fields };
}

const aboutBulks =
  '`text/csv` with a header row is accepted, too. `id`, `version`, `created_at` and `updated_at` are ignored, so that an export can be sent. `?dry_run=true` checks everything, adds nothing and answers 200 with `{"dry_run":true,"valid":2}`. `?import=once` is for files in batches, which the last line lists: see the documentation.';

/** Schemas describe one record. Undefined if there is no rule. */
function uniqueText({ unique }: Collection): string | undefined {
  if (unique.length === 0) return undefined;
  const rules = unique.map(({ fields, condition }) => {
    const names = listed(fields.map((field) => `\`${field}\``));
    return `${names}${fields.length === 1 ? '' : ' together'}${condition === undefined ? '' : ` where \`${condition}\``}`;
  });
  return `Unique among all records, nulls left out: ${rules.join('; ')}. Otherwise 409 \`already_exists\`.`;
}

export function recordOperations(collection: Collection, expand: Parameter | undefined, isReferenced: boolean) {
  const clashes = clashFailures(collection);
  const { name, singular, schemaName, pluralName } = collection;
  const names = schemaNames(collection);
  const example = exampleDraft(collection);
  const draftContent = (schema: string) => ({ schema: refTo(schema), example });
  const draft = { 'application/json': draftContent(names.draft) };
  const recordAnswer = (status: number, description: string): Answer => ({
    status,
    description,
    headers: ['ETag'],
    content: jsonContent(refTo(names.record), exampleRecord(collection)),
  });
  const parameter: Parameter = {
    name: 'id',
    description: `The id that the server assigned to the ${singular}.`,
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

  const keys = keysOf(collection);
  const unique = uniqueText(collection);
  const about = unique === undefined ? {} : { description: unique };
  /** The first rule that a record can break. */
  const failureExamples = (path: string) => {
    const [rule] = collection.checks;
    const broken = rule && clashFailure([brokenBy(rule, collection)]);
    return broken === undefined ? {} : { failureExamples: { invalid_body: problemBody(broken, path) } };
  };

  return {
    create: operation(`create${schemaName}`, `Add one ${singular}`, {
      ...about,
      ...failureExamples(`/api/v2/${name}`),
      body: draft,
      answers: [
        {
          ...recordAnswer(201, `The ${singular} as stored; the Location header has its path.`),
          headers: ['ETag', 'Location', 'Idempotent-Replayed'],
        },
      ],
      headers: [idempotencyKey],
      failures: [...bodyFailures, ...clashes, 'invalid_key', 'key_reused', 'timed_out', ...writeFailures],
    }),
    // `singular` and the name of the collection can be the same.
    createMany: operation(
      `create${pluralName === schemaName ? 'Many' : ''}${pluralName}`,
      `Add many ${name}, one JSON object per line: all of them, or none`,
      {
        // Declared as further types of body and answer, they would make the usual types imprecise in generated clients.
        description: [aboutBulks, ...(unique === undefined ? [] : [unique])].join(' '),
        ...(keys.length === 0 ? {} : { queries: [keyParameter(keys)] }),
        body: {
          [bulkTypes.lines]: {
            // A generated client would send a string of any other format as JSON, in quotes.
            schema: Type.String({ format: 'binary', description: `One ${names.draft} per line.` }),
            example: example && `${JSON.stringify(example)}\n`.repeat(2),
          },
        },
        answers: [
          {
            status: 201,
            description: `The number of ${name} added, with the first and the last id${keys.length === 0 ? '' : '; with `key` the number updated, too'}.`,
            headers: ['Idempotent-Replayed'],
            content:
              keys.length === 0
                ? jsonContent(refTo('BulkResult'), { created: 2, first_id: 2, last_id: 3 })
                : jsonContent(refTo('KeyedBulkResult'), { created: 1, updated: 2, first_id: 2, last_id: 2 }),
          },
        ],
        headers: [idempotencyKey],
        failures: [
          ...bodyFailures,
          'malformed_csv',
          'unsupported_media_type',
          ...clashes,
          'invalid_key',
          'key_reused',
          ...writeFailures,
        ],
      },
    ),
    get: operation(`get${schemaName}`, `Fetch one ${singular}`, {
      parameter,
      ...(expand === undefined ? {} : { queries: [expand] }),
      headers: [ifMatchToRead, ifNoneMatch],
      answers: [
        recordAnswer(200, `The ${singular}.`),
        { status: 304, description: 'Not modified: the ETag in If-None-Match is current.', headers: ['ETag'] },
      ],
      failures: ['invalid_id', 'not_found', 'precondition_failed', ...readFailures],
    }),
    replace: operation(`replace${schemaName}`, `Replace every field of one ${singular}`, {
      ...about,
      ...failureExamples(`/api/v2/${name}/1`),
      parameter,
      headers: [ifMatch, ifNoneMatchToWrite],
      body: draft,
      answers: [recordAnswer(200, `The ${singular} after the change.`)],
      failures: ['invalid_id', ...bodyFailures, ...clashes, 'not_found', 'precondition_failed', ...writeFailures],
    }),
    patch: operation(`patch${schemaName}`, `Change some fields of one ${singular} (RFC 7396)`, {
      ...about,
      ...failureExamples(`/api/v2/${name}/1`),
      parameter,
      headers: [ifMatch, ifNoneMatchToWrite],
      // With a second media type, generated clients send one type with the encoding of the other.
      body: { [mergePatch]: draftContent(names.patch) },
      answers: [recordAnswer(200, `The ${singular} after the change.`)],
      failures: [
        'invalid_id',
        ...bodyFailures,
        ...clashes,
        'unsupported_media_type',
        'not_found',
        'precondition_failed',
        ...writeFailures,
      ],
    }),
    remove: operation(`delete${schemaName}`, `Delete one ${singular}`, {
      parameter,
      headers: [ifMatch, ifNoneMatchToWrite],
      answers: [{ status: 204, description: `The ${singular} is deleted.` }],
      failures: removalFailures(isReferenced),
    }),
  };
}
