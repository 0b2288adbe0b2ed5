/** Adds many records in one request, one JSON object per line or as CSV: all of them, or none. With a key it updates those that exist. */
import { everything } from '../../domain/access/view.ts';
import { authorOf } from '../../domain/caller.ts';
import { Failure } from '../../domain/errors.ts';
import { LineNumbers } from '../../domain/input/line-numbers.ts';
import {
  InvalidParameter,
  invalidParameter,
  parametersOf,
  repeatedParameter,
  unknownParameter,
} from '../../domain/input/parameters.ts';
import type { Collection } from '../../domain/record/collection.ts';
import { ruleOfKey, type UniqueRule } from '../../domain/record/unique-rules.ts';
import type { Bulked, ImportBatch } from '../../domain/store/bulk.ts';
import type { Store } from '../../domain/store/store.ts';
import type { Reply } from '../../wire/answer/reply.ts';
import { requireUnencoded } from '../body/json-body.ts';
import { json } from '../route/reply.ts';
import type { Call } from '../route/route.ts';
import { bodyFor, forbidden, seenFor, writerFor } from '../route/sight.ts';
import { type BulkFormat, type BulkLimits, bulkEntries, bulkTypes } from './bulk-records.ts';
import { isDryRun } from './dry-run.ts';
import { idempotencyKeyOf, onceOf, replayed } from './idempotency-key.ts';
import { bulkResult, importReply, requireBatches } from './import-batches.ts';
import { LineProblems, withLines } from './line-problems.ts';

export type BulkOptions = BulkLimits & {
  /** In milliseconds: the TTL of an Idempotency-Key. */
  readonly idempotency: number;
};

export async function addBulk(
  format: BulkFormat,
  collection: Collection,
  store: Store,
  call: Call,
  { idempotency, ...limits }: BulkOptions,
): Promise<Reply> {
  const { request, caller, client, search, trace } = call;
  requireUnencoded(request);
  const all = everything(collection);
  const { isDry, adding, rule } = queryOf(search, seenFor(call, all));
  const operation = rule === undefined ? 'create' : 'upsert';
  const body = bodyFor(call, collection, operation);
  if (body === undefined) throw forbidden(call, operation, collection);
  const isImport = adding !== undefined;
  const key = idempotencyKeyOf(request, caller);
  // The digest is the same for NDJSON and CSV with equal values, and differs from that of a single record.
  const kind = rule === undefined ? bulkTypes.lines : `${bulkTypes.lines} ${rule.fields.join()}`;
  const newDigest = () => new Bun.CryptoHasher('sha256').update(`${kind}\n`);
  const digests = { sent: newDigest(), former: newDigest() };
  const bulk = await store.writes.bulk(writerFor(call), collection, client, { by: authorOf(caller), trace, key: rule });
  try {
    const nothing = `Nothing was ${rule === undefined ? 'added' : 'changed'}.`;
    const problems = new LineProblems(nothing);
    const lines = new LineNumbers();
    let count = 0;
    let batches: readonly ImportBatch[] | undefined;
    const reading = { ...limits, keepsSent: key !== undefined, key: rule?.fields };
    for await (const group of bulkEntries({ format, isImport, call }, body, reading)) {
      const records: string[] = [];
      const sent: string[] = [];
      let isOver = false;
      for (const entry of group) {
        if ('json' in entry) {
          records.push(entry.json);
          if (entry.sent !== undefined) sent.push(entry.sent);
          lines.add(entry.line);
        } else if ('batches' in entry) {
          batches = entry.batches;
        } else {
          problems.add(entry.line, entry.failure);
          isOver ||= entry.isFinal || problems.full;
        }
        if (isOver) break;
      }
      if (isOver) break;
      await new Promise(setImmediate);
      // After a problem nothing will be added, so the remaining lines are only checked.
      if (problems.none && records.length > 0) {
        if (key !== undefined) {
          digests.sent.update(`${sent.join('\n')}\n`);
          digests.former.update(`${records.join('\n')}\n`);
        }
        await bulk.add(records);
        count += records.length;
      }
    }
    problems.throwIfAny();
    const translated = (error: unknown) => {
      throw withLines(error, lines, nothing);
    };
    if (isImport) {
      const listed = requireBatches(batches, count);
      const imported = { batches: listed, keptMs: idempotency, isAgain: adding === 'again' };
      return importReply(await bulk.import(imported, request.signal).catch(translated), rule !== undefined);
    }
    if (count === 0) throw noRecords(format);
    if (isDry) return dryReply(await bulk.check().catch(translated));
    const once = onceOf(key, idempotency, () => ({
      digest: digests.sent.digest('hex'),
      former: digests.former.digest('hex'),
    }));
    const done = await bulk.commit(once).catch(translated);
    return bulkReply(done, replayed(done.isRepeated));
  } finally {
    await bulk.close();
  }
}

type BulkQuery = {
  readonly isDry: boolean;
  readonly adding: 'once' | 'again' | undefined;
  readonly rule: UniqueRule | undefined;
};

/** Throws `invalid_query`. */
function queryOf(search: string, collection: Collection): BulkQuery {
  const given = new Map<string, string>();
  for (const [name, value] of parametersOf(search)) {
    if (!known.includes(name)) throw unknownParameter(name, known);
    if (given.has(name)) throw repeatedParameter(name);
    given.set(name, value);
  }
  const isDry = isDryRun(given.get('dry_run'));
  const adding = given.get('import');
  if (adding !== undefined && adding !== 'once' && adding !== 'again')
    throw invalidParameter('import', 'once or again', adding);
  if (isDry && adding !== undefined) throw invalidParameter('import', 'no dry_run beside it', adding);
  return { isDry, adding, rule: ruleIn(given.get('key'), collection) };
}
const known = ['dry_run', 'import', 'key'];

/** `key=book,copy`: the fields of a unique rule, in any order. Throws `invalid_query`. */
function ruleIn(key: string | undefined, collection: Collection): UniqueRule | undefined {
  if (key === undefined) return undefined;
  const rule = ruleOfKey(collection, key.split(','));
  if ('refused' in rule) throw new InvalidParameter('key', rule.refused, `The query parameter key ${rule.refused}.`);
  return rule;
}

function noRecords(format: BulkFormat): Failure {
  return format === 'csv'
    ? new Failure('malformed_csv', { detail: 'The body has a header and no records: send one row for each.' })
    : new Failure('malformed_json', { detail: 'The body has no records: send one JSON object per line.' });
}

function bulkReply(bulked: Bulked, headers: Reply['headers']): Reply {
  return json(201, JSON.stringify(bulkResult(bulked)), headers);
}

function dryReply({ created, updated }: Pick<Bulked, 'created' | 'updated'>): Reply {
  const valid = created + (updated ?? 0);
  return json(200, JSON.stringify({ dry_run: true, valid, ...(updated === undefined ? {} : { created, updated }) }));
}
