/** Which records an operation is about: one by its id, or all that match. */
import { isObject } from '../input/json.ts';
import type { Collection } from '../record/collection.ts';
import type { CountBounds, RecordRef } from '../store/operation.ts';
import type { Precondition } from '../store/precondition.ts';
import type { TargetOf } from '../where/field-path.ts';
import { readWhere } from '../where/read-where.ts';
import type { Where } from '../where/where.ts';
import type { CreatedRecords } from './created-records.ts';
import { readCount } from './read-count.ts';
import type { SentOperation } from './sent-operation.ts';

export type OneTarget = {
  readonly recordId: RecordRef;
  readonly when: Precondition<number> | undefined;
  readonly where: Where | undefined;
};

type MatchingTarget = {
  readonly recordId?: undefined;
  readonly where: Where;
  readonly count: CountBounds | undefined;
};

/** With mistakes in it, the target has no meaning. */
export class TargetReader {
  constructor(
    readonly sent: SentOperation,
    readonly created: CreatedRecords,
    readonly targetOf: TargetOf,
  ) {}

  either(collection: Collection): OneTarget | MatchingTarget | undefined {
    const { sent } = this;
    if (sent.has('id')) return this.one(collection);
    if (sent.has('where')) return this.matching(collection);
    return sent.mistake(['id'], 'is required, or "where" for all records that match');
  }

  one(collection: Collection): OneTarget | undefined {
    const { sent } = this;
    if (sent.has('count')) sent.mistake(['count'], 'is for "where" without "id"; leave it out');
    const recordId = this.id(collection.name);
    const when = this.version();
    const where = sent.has('where') ? this.where(collection) : undefined;
    return recordId === undefined ? undefined : { recordId, when, where };
  }

  matching(collection: Collection): MatchingTarget | undefined {
    const { sent } = this;
    for (const name of ['version', 'exists'])
      if (sent.has(name)) sent.mistake([name], 'is for one record; add its "id"');
    const count = sent.has('count') ? readCount(sent) : undefined;
    const where = this.where(collection);
    return where === undefined ? undefined : { where, count };
  }

  where(collection: Collection): Where | undefined {
    const { sent, targetOf } = this;
    if (sent.required('where') === undefined) return undefined;
    return readWhere(collection, sent.json.member('where'), targetOf, sent.problems, [
      'operations',
      sent.index,
      'where',
    ]);
  }

  /** `to` is the collection that a created record must be of; undefined if it is not known. */
  id(to: string | undefined): RecordRef | undefined {
    const { sent, created } = this;
    const id = sent.required('id');
    if (id === undefined) return undefined;
    if (!isObject(id))
      return sent.whole(sent.json, 'id', 1, ['id'], 'an id, which is 1 or more, or {"created":"name"}');
    const made = created.find(id, to, sent, ['id']);
    return made === undefined ? undefined : { made };
  }

  version(): Precondition<number> | undefined {
    const { sent } = this;
    if (!sent.has('version')) return undefined;
    const version = sent.whole(sent.json, 'version', 1, ['version'], 'a version, which is 1 or more');
    return version === undefined ? undefined : { match: [version], noneMatch: undefined };
  }
}
