/** The collections of a new key. Nothing is preset: a key for everything is a choice of its own. */
import { Note } from './note.tsx';

export type Reach = 'all' | 'only';

export type ChooseCollectionsProps = {
  readonly collections: readonly string[];
  readonly reach: Reach | undefined;
  readonly only: readonly string[];
  /** Reading needs no key. */
  readonly isOpenToRead: boolean;
  readonly problem: string;
  readonly onReach: (reach: Reach) => void;
  readonly onOnly: (only: readonly string[]) => void;
};

const noteId = 'new-key-collections-note';

export function ChooseCollections(props: ChooseCollectionsProps) {
  const { collections, reach, only, isOpenToRead, problem, onReach, onOnly } = props;
  const limits = isOpenToRead
    ? 'It changes these only. Reading needs no key on this server.'
    : 'It sees the records and the changes of these only; it follows the feed of each with collection=.';
  return (
    <fieldset aria-describedby={noteId}>
      <legend>Collections</legend>
      <label>
        <input type="radio" name="reach" checked={reach === 'all'} onChange={() => onReach('all')} />
        <span>All collections, also later ones</span>
      </label>
      <label>
        <input type="radio" name="reach" checked={reach === 'only'} onChange={() => onReach('only')} />
        <span>Only these</span>
      </label>
      {reach === 'only' ? (
        <div class="new-key-collections">
          {collections.map((one) => (
            <label key={one}>
              <input
                type="checkbox"
                checked={only.includes(one)}
                onChange={({ currentTarget: { checked } }) =>
                  onOnly(checked ? [...only, one] : only.filter((other) => other !== one))
                }
              />
              <span>{one}</span>
            </label>
          ))}
        </div>
      ) : null}
      <Note id={noteId} problem={problem} hint={reach === 'only' ? limits : ''} />
    </fieldset>
  );
}
