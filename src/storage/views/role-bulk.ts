/** A bulk of a caller with a role: one transaction, whose operations are judged one by one. */
import { Failure } from '../../domain/errors.ts';
import type { Collection } from '../../domain/record/collection.ts';
import { readKeyed } from '../../domain/record/keyed-text.ts';
import type { UniqueRule } from '../../domain/record/unique-rules.ts';
import type { Bulk, Bulked } from '../../domain/store/bulk.ts';
import type { Once } from '../../domain/store/once.ts';
import type { Step } from '../../domain/store/operation.ts';
import type { Committed } from '../../domain/store/transaction.ts';
import type { BulkOptions } from '../../domain/store/writes.ts';

/** As many as a transaction may have operations. */
export const maxRoleBulk = 1000;

type Commit = (steps: readonly Step[], once: Once | undefined) => Promise<Committed>;

export function roleBulk(collection: Collection, { key }: BulkOptions, commit: Commit): Bulk {
  const steps: Step[] = [];

  async function committed(all: readonly Step[], once: Once | undefined): Promise<Committed> {
    try {
      return await commit(all, once);
    } catch (error) {
      throw error instanceof Failure ? withPlace(error) : error;
    }
  }

  return {
    async add(records) {
      for (const record of records) steps.push(stepOf(collection, record, key));
      if (steps.length > maxRoleBulk)
        throw new Failure('body_too_large', {
          detail: `Nothing was added. A bulk of a role has at most ${maxRoleBulk} records: send several.`,
        });
    },
    async commit(once) {
      const { results, isRepeated } = await committed(steps, once);
      return { ...bulkedOf(results, key), isRepeated };
    },
    async import() {
      throw new Failure('forbidden', { detail: 'A role may not import files: send a bulk without import.' });
    },
    async check() {
      if (key !== undefined)
        throw new Failure('forbidden', { detail: 'A role may not try a bulk with a key: leave dry_run out.' });
      // The record that the first operation makes cannot be missing, so everything is taken back.
      const last: Step = { op: 'check', collection, recordId: { made: 0 }, exists: false };
      try {
        await committed([...steps, last], undefined);
      } catch (error) {
        if (error instanceof Failure && error.code === 'check_failed') return { created: steps.length };
        throw error;
      }
      throw new Error('a check that cannot hold has held');
    },
    async close() {},
  };
}

function stepOf(collection: Collection, record: string, rule: UniqueRule | undefined): Step {
  if (rule === undefined) return { op: 'create', collection, json: [record] };
  const { update, create } = readKeyed(record);
  // The fields that it lacks are required: the database refuses to create it without them.
  return { op: 'upsert', collection, rule, json: [typeof create === 'string' ? create : update], sent: [update] };
}

function bulkedOf(results: Committed['results'], key: UniqueRule | undefined): Bulked {
  const records = results.flatMap((result) => ('recordId' in result ? result : []));
  const created = records.filter(({ version }) => version === 1).map(({ recordId }) => recordId);
  const ids = { created: created.length, first: created[0] ?? 0, last: created.at(-1) ?? 0 };
  return key === undefined ? ids : { ...ids, updated: records.length - created.length };
}

/** The place of the record, counted from 1, in place of the operation. */
function withPlace(failure: Failure): Failure {
  const { code, detail, problems, members } = failure;
  const operation = members?.operation;
  if (typeof operation !== 'number') return failure;
  const listed = problems ?? [{ field: undefined, message: sentence(detail) }];
  return new Failure(code, {
    detail: detail.replace(/^Operation \d+: /, ''),
    problems: listed.map(({ field, message }) => ({ field, message, line: operation + 1 })),
  });
}

function sentence(detail: string): string {
  return detail.replace(/^Operation \d+: /, '').replace(/\.$/, '');
}
