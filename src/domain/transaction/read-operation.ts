/** Reads one operation of a transaction. */
import { membersOf, objectOf } from '../../exact/json-text.ts';
import { type Json, parseJson } from '../input/json.ts';
import type { Collection } from '../record/collection.ts';
import type { RecordShape } from '../record/record.ts';
import { ruleOfKey } from '../record/unique-rules.ts';
import type { CheckStep, RecordPieces, Step, UpsertStep } from '../store/operation.ts';
import type { TargetOf } from '../where/field-path.ts';
import { readAmounts } from './amounts.ts';
import type { CreatedRecords } from './created-records.ts';
import type { OperationName } from './operation-members.ts';
import { readCount } from './read-count.ts';
import { readRecord } from './read-record.ts';
import { TargetReader } from './read-target.ts';
import type { SentOperation } from './sent-operation.ts';

/** Each method adds mistakes to the problems of the operation. With any, what it returns has no meaning. */
export class OperationReader {
  readonly #target: TargetReader;

  constructor(
    readonly sent: SentOperation,
    readonly created: CreatedRecords,
    targetOf: TargetOf,
  ) {
    this.#target = new TargetReader(sent, created, targetOf);
  }

  /** Where the collection is not known: only what does not depend on it. */
  withoutCollection(): undefined {
    const { sent } = this;
    if (sent.has('id')) this.#target.id(undefined);
    this.#target.version();
    if (sent.has('count')) readCount(sent);
  }

  read(op: OperationName, collection: Collection): Step | undefined {
    switch (op) {
      case 'create': {
        const json = this.#record(collection, collection.record.parse);
        return json && { op, collection, json };
      }
      case 'update': {
        const target = this.#target.either(collection);
        const json = this.#record(collection, collection.record.parsePatch);
        return target && json && { op, collection, ...target, json };
      }
      case 'replace': {
        const target = this.#target.one(collection);
        const json = this.#record(collection, collection.record.parse);
        return target && json && { op: 'update', collection, ...target, json };
      }
      case 'add': {
        const target = this.#target.either(collection);
        const json = readAmounts(this.sent, collection);
        return target && json !== undefined ? { op, collection, ...target, json } : undefined;
      }
      case 'delete': {
        const target = this.#target.either(collection);
        return target && { op, collection, ...target };
      }
      case 'upsert':
        return this.#upsert(collection);
      case 'check':
        return this.#check(collection);
    }
  }

  #record(collection: Collection, parse: RecordShape['parse']): RecordPieces | undefined {
    const { sent, created } = this;
    const json = sent.object('record');
    if (json === undefined) return undefined;
    const placeOf = (field: string | undefined) => (field === undefined ? ['record'] : ['record', field]);
    const read = readRecord(sent, created, collection, json, parse, placeOf);
    return read?.encode(read.draft);
  }

  #upsert(collection: Collection): UpsertStep | undefined {
    const { sent, created } = this;
    if (sent.object('key') === undefined || sent.object('record') === undefined) return undefined;
    const [key, record] = [membersOf(sent.json.text('key') ?? ''), membersOf(sent.json.text('record') ?? '')];
    const rule = ruleOfKey(collection, [...key.keys()]);
    if ('refused' in rule) return sent.mistake(['key'], rule.refused);
    for (const name of key.keys()) {
      if (record.has(name)) sent.mistake(['record', name], 'is in "key"; leave it out');
      if (key.get(name) === 'null') sent.mistake(['key', name], 'cannot be null: null is not unique');
    }
    const members = new Map([...record, ...key]);
    // The record that is found has values of its own where none is sent.
    const others = Object.keys(collection.fields).filter((name) => !members.has(name));
    const parse = (json: Json, unknown: ReadonlySet<string>) =>
      collection.record.parse(json, new Set([...unknown, ...others]));
    const read = readRecord(sent, created, collection, parseJson(objectOf(members)), parse, (field) =>
      field === undefined ? ['record'] : [key.has(field) ? 'key' : 'record', field],
    );
    if (read === undefined) return undefined;
    const { contractId, fields } = read.draft;
    const given = Object.entries(fields).filter(([name]) => members.has(name));
    const json = read.encode(read.draft);
    return {
      op: 'upsert',
      collection,
      rule,
      json,
      sent: read.encode({ contractId, fields: Object.fromEntries(given) }),
    };
  }

  #check(collection: Collection): CheckStep | undefined {
    const { sent } = this;
    if (!sent.has('id')) {
      const target = this.#target.matching(collection);
      const count = sent.required('count') === undefined ? undefined : target?.count;
      return target && count && { op: 'check', collection, where: target.where, count };
    }
    const exists = this.#exists();
    const target = this.#target.one(collection);
    if (exists === false)
      for (const name of ['version', 'where'])
        if (sent.has(name)) sent.mistake([name], 'is for a record that exists; leave it out');
    return target && exists !== undefined ? { op: 'check', collection, ...target, exists } : undefined;
  }

  #exists(): boolean | undefined {
    const { exists = true } = this.sent.members;
    return typeof exists === 'boolean' ? exists : this.sent.mistake(['exists'], 'must be true or false');
  }
}
