/** Planted faults that show a role too much, or let it do too much. In files of src. */
import type { PlantedFault } from '../support/edited-source.ts';

const reads = 'storage/views/viewed-reads.ts';
const steps = 'storage/views/guarded-steps.ts';
const failure = 'storage/views/seen-failure.ts';

export const accessFaults: Readonly<Record<string, PlantedFault>> = {
  'a list without the predicate': {
    [reads]: [
      [
        'if (sight.isWhole) return this.engine.page(collection, within(sight, page), requester);',
        'if (sight.isWhole) return this.engine.page(collection, page, requester);',
      ],
    ],
  },
  'a single record without the predicate': {
    [reads]: [['|| !matches(values)) return undefined;', ') return undefined;']],
  },
  'hidden fields of a page that is sent as it is encoded': {
    [reads]: [['bytes: encoder.encode(conceal(decoder.decode(whole.bytes)))', 'bytes: whole.bytes']],
  },
  'a page that ends where hidden values are large': {
    [reads]: [['const fitting = fittingOf(records);', 'const fitting = 0;']],
  },
  'a sum of a hidden field': {
    'domain/transaction/amounts.ts': [['&& columns.has(key)', '']],
  },
  'a claim whose digits are lost': {
    'domain/access/variables.ts': [['Number.isSafeInteger(value)', 'true']],
  },
  'a count of hidden records': {
    [reads]: [
      ['const all = sight === undefined ? where : within(sight, { where }).where;', 'const all = where; void sight;'],
    ],
  },
  'a summary of hidden records': {
    [reads]: [
      ['const summary = sight === undefined ? wanted : within(sight, wanted);', 'const summary = wanted; void sight;'],
    ],
  },
  'an export of hidden records': {
    [reads]: [['within(sight, wanted), (records)', 'wanted, (records)']],
  },
  'a hidden field in a sort and in filters': {
    'http/v2/list.ts': [
      [
        'const query = parseQuery(seenIn(view), search, expander.targetsOf(call));\n      if (query.explain)',
        'const query = parseQuery(collection, search, expander.targetsOf(call));\n      if (query.explain)',
      ],
    ],
  },
  'a path through hidden records': {
    'domain/where/field-path.ts': [['to: to.sight.of, where: to.sight.where }', 'to: to.sight.of }']],
  },
  'the claim of another type': {
    'domain/access/bound-access.ts': [
      ['return problems.length > 0 ? nothing : read;', 'return problems.length > 0 ? [] : read;'],
    ],
  },
  'an absent claim inside not': {
    'domain/access/bound-access.ts': [
      ['if (plain === undefined) return nothing;', 'if (plain === undefined) return [];'],
    ],
  },
  'no condition after the change': {
    'domain/access/bound-access.ts': [
      ['check: [...where.filter((one) => !isFree(one, own.named)), ...right.check] };', 'check: right.check };'],
    ],
  },
  'no check of a creation': {
    [steps]: [['after: right.check });', 'after: [] });']],
  },
  'a change of hidden records': {
    [steps]: [
      [
        'this.#push(guardOf(collection, recordId, sight.where), meaning);',
        'this.#push(guardOf(collection, recordId, []), meaning); void sight;',
      ],
    ],
  },
  'a reference to a hidden record': {
    [steps]: [
      [
        'this.#push(guardOf(view.collection, Number(id), view.sight.where), meaning);',
        'this.#push(guardOf(view.collection, Number(id), []), meaning);',
      ],
    ],
  },
  'the record that has a unique value': {
    [failure]: [
      [
        "    case 'already_exists':\n",
        "    case 'already_exists':\n      if (failure.detail !== '') return failure;\n",
      ],
    ],
  },
  'a record that leaves the sight is an update': {
    'domain/feed/selection.ts': [["left: 'deleted' };", "left: 'updated' };"]],
  },
  'bytes that listeners with other views share': {
    'http/feed/live-feed.ts': [['part.sight.key', "''"]],
  },
  'a cursor of another view': {
    'http/v2/cursor.ts': [['const seen = sight === undefined', 'const seen = sight !== null']],
  },
  'a hidden field of an expanded record': {
    'http/v2/expand.ts': [
      ['withMore(seenIn(to).record.encode(one), more)', 'withMore(to.collection.record.encode(one), more)'],
    ],
  },
  'hidden fields after a retry': {
    'storage/views/viewed-writes.ts': [
      ['const record = visibleRecorded(view, result.record);', 'const record = result.record;'],
    ],
  },
};
