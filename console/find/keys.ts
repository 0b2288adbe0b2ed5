/** The keys that a screen knows, by its address. */

/** Keys are separated by spaces. */
export type Keys = readonly (readonly [keys: string, meaning: string])[];
export type Part = { readonly title: string; readonly keys: Keys };

const everywhere: Keys = [
  ['Ctrl K', 'find collections, records, screens and actions'],
  ['?', 'this list'],
  ['Tab', 'to the next link, button or input'],
  ['Esc', 'close what is open'],
];
const ofTable: Keys = [
  ['Tab', 'at the top of the page: to the table'],
  ['/', 'to the search box'],
  ['↑ ↓ PgUp PgDn Home End', 'move through the rows'],
  ['Space', 'select the row'],
  ['Enter', 'open the record'],
  ['Shift click', 'on a head: sort by it after the others'],
];
const ofRecord: Keys = [
  ['Ctrl S', 'save'],
  ['↓', 'in a reference: list records'],
  ['Enter', 'in a reference: choose the record'],
  ['Backspace', 'in a reference: remove the record'],
  ['Esc', 'close the record'],
];
const ofSummary: Keys = [
  ['Enter', 'on a group: its records'],
  ['Shift click', 'on a head: sort by it after the others'],
];
const ofSchema: Keys = [
  ['Enter', 'on a field: open or close its options'],
  ['Enter', 'in a name or a new field: take it'],
];
const ofPicture: Keys = [
  ['Tab', 'to the next collection, whose lines are marked'],
  ['Enter', 'to the fields of the collection'],
  ['+ -', 'larger, smaller'],
  ['0', 'the size at the beginning'],
];

/** Those of the screen first, and last those of all screens. */
export function keysOf([first, second]: readonly string[], search: string): readonly Part[] {
  return [...ofScreen(first, second, search), { title: 'Everywhere', keys: everywhere }];
}

function ofScreen(first: string | undefined, second: string | undefined, search: string): readonly Part[] {
  if (first === '-' && second === 'schema')
    return new URLSearchParams(search).get('view') === 'references'
      ? [{ title: 'The picture', keys: ofPicture }]
      : [{ title: 'The collections', keys: ofSchema }];
  if (first === undefined || first === '-') return [];
  if (second === 'summary') return [{ title: 'The summary', keys: ofSummary }];
  const table = { title: 'The table', keys: ofTable };
  return second === undefined ? [table] : [{ title: 'The record', keys: ofRecord }, table];
}
