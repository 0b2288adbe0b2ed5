/** The keys that this screen knows. */
import { Dialog } from '../parts/dialog.tsx';

type Keys = readonly (readonly [keys: string, meaning: string])[];

const everywhere: Keys = [
  ['Ctrl K', 'find collections, records, screens and actions'],
  ['?', 'this list'],
  ['Esc', 'close what is open'],
];
const ofTable: Keys = [
  ['Tab', 'at the top of the page: to the table'],
  ['/', 'to the search box'],
  ['↑ ↓ PgUp PgDn Home End', 'move through the rows'],
  ['Space', 'select the row'],
  ['Enter', 'open the record'],
  ['Shift + click on a head', 'sort by it after the others'],
];
const ofRecord: Keys = [
  ['Ctrl S', 'save'],
  ['↓', 'in a reference: list records'],
  ['Enter', 'in a reference: choose the record'],
  ['Backspace', 'in a reference: remove the record'],
  ['Esc', 'close the record'],
];

export function KeyList({ path, onClose }: { readonly path: readonly string[]; readonly onClose: () => void }) {
  const [collection, second] = path;
  const isTable = collection !== undefined && collection !== '-' && second !== 'summary';
  const isRecord = isTable && second !== undefined;
  const parts = [
    ...(isRecord ? [['The record', ofRecord] as const] : []),
    ...(isTable ? [['The table', ofTable] as const] : []),
    ['Everywhere', everywhere] as const,
  ];
  return (
    <Dialog title="Keys of this screen" onClose={onClose}>
      {parts.map(([title, keys]) => (
        <section key={title} aria-label={title}>
          <h3 class="keys-title">{title}</h3>
          <dl class="shortcuts">
            {keys.map(([key, meaning]) => (
              <div key={key}>
                <dt>
                  <kbd>{key}</kbd>
                </dt>
                <dd>{meaning}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </Dialog>
  );
}
