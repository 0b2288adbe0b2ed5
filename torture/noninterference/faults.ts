/** Planted faults that show a role too much, or let it do too much. In files of src. */
import type { PlantedFault } from '../support/edited-source.ts';

const reads = 'storage/views/viewed-reads.ts';
const steps = 'storage/views/guarded-steps.ts';
const failure = 'storage/views/seen-failure.ts';
const body = 'domain/access/body-shape.ts';
const roles = 'http/access/caller-roles.ts';

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
  'the key of a hidden record': {
    [steps]: [['      if (sight.where.length > 0)\n', '      if (sight.where.length > 9)\n']],
  },
  'a key that finds what may not be changed': {
    [steps]: [['      if (update.where.length > 0)\n', '      if (update.where.length > 9)\n']],
  },
  'no condition on what a key has found, or made': {
    [steps]: [['      after,\n', '']],
  },
  'a reference to a hidden record, of what a key has found': {
    [steps]: [['    this.#references(collection, step.json, set);\n', '']],
  },
  'a reference of an update to a hidden record': {
    [steps]: [["if (step.op === 'update') this.#references(", "if (step.op !== 'update') this.#references("]],
  },
  'no check of an update': {
    [steps]: [['...target, after: right.check }', '...target }']],
  },
  'no where of an update': {
    [steps]: [['      if (where.length > 0)\n', '      if (where.length > 9)\n']],
  },
  'an operation on all that match, hidden ones too': {
    [steps]: [['const seen = [...sight.where, ...step.where];', 'const seen = [...step.where];']],
  },
  'an operation on all that match, and may not be changed': {
    [steps]: [['    if (where.length > 0)\n      this', '    if (where.length > 9)\n      this']],
  },
  'a check that finds a hidden record': {
    [steps]: [['if (step.exists) this.#visible(', 'if (!step.exists) this.#visible(']],
  },
  'a check that says whether a hidden record is missing': {
    [steps]: [["typeof recordId !== 'number' || sight.where.length === 0", 'recordId !== 0']],
  },
  'a sum that leaves out what the server sets': {
    [steps]: [["step.op === 'add' && Object.keys", "step.op !== 'add' && Object.keys"]],
  },
  'the problems of hidden fields': {
    [failure]: [['visibleProblems(failure, seen));', 'failure.problems ?? []); void visibleProblems; void seen;']],
  },
  'another value of what the server sets': {
    [body]: [['read === set ? undefined', "read === set || set !== 'another' ? undefined"]],
  },
  'a field that may only be read': {
    [body]: [
      ['inner.readOnly.includes(key) || !seen.columns.has(key)', "inner.readOnly.includes(key) || key !== 'another'"],
    ],
  },
  'hidden records in expanded ones': {
    [reads]: [
      [
        'const page = await this.records(view, { where, sort: [], after: undefined, limit: ids.length });',
        'const page = await this.records({ ...view, sight: { ...sight, where: [] } }, { where, sort: [], after: undefined, limit: ids.length });',
      ],
    ],
  },
  'a record of the contract that is hidden': {
    [reads]: [
      [
        'return this.#first(view, where).then((found) => found && encoder',
        'return this.#first({ ...view, sight: { ...sight, where: [] } }, where).then((found) => found && encoder',
      ],
    ],
  },
  'hidden values that a retry shows': {
    'storage/views/viewed-writes.ts': [['isRepeated && (await', '!isRepeated && (await']],
  },
  'the author of a change': {
    'http/feed/encode-change.ts': [['"by":null,$', '"by":"shop",$']],
  },
  'a feed where other records decide': {
    'http/feed/feed-query.ts': [['if (noFeed !== undefined) throw', "if (noFeed === 'none') throw"]],
  },
  'the time in a cursor': {
    'domain/access/compiled-access.ts': [['!isClock(variable)', "variable !== '' || isClock(variable)"]],
  },
  'a role that the caller does not have': {
    [roles]: [['!holds(source, base.claims)', '(!holds(source, base.claims) && source === undefined)']],
  },
  'a key with a role that the file does not have': {
    [roles]: [['!Object.hasOwn(this.declared, caller.role))', "caller.role === '')"]],
  },
  'an invalid key in the role of anybody': {
    'http/access/guard.ts': [
      [
        'if (caller === undefined && (isTicket || tokenOf(request) !== undefined)) throw',
        'if (caller === undefined && isTicket) throw',
      ],
    ],
  },
  'a route for scopes alone': {
    'http/access/guard.ts': [["if (route.sight !== 'scope only' && route.access !== 'admin' && ", 'if (']],
  },
  'everything for a key whose role has no rules': {
    'http/app.ts': [['if (bound !== undefined) return bound;', 'if (bound !== null) return bound as never;']],
  },
};
