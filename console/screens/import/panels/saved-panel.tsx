/** An import that an earlier page has begun: it continues when its file is chosen again. */
import { grouped } from '../../../api/count.ts';
import { Button } from '../../../parts/button.tsx';
import { Moment } from '../../../parts/values/moment.tsx';
import type { Plan } from '../plan.ts';
import { countOf } from '../run/refused.ts';
import type { Earlier, Progress } from '../run/saved.ts';
import type { Source } from '../source.ts';
import { ChooseSource } from './choose-source.tsx';
import { RefusedList } from './refused-list.tsx';

export type SavedPanelProps = Earlier & {
  readonly onChosen: (source: Source) => void;
  readonly onLeave: () => void;
};

/** The server remembers for 24 hours which batches are in, unless it is told otherwise. */
const rememberedMs = 23 * 3600 * 1000;

export function SavedPanel({ saved, refused, onChosen, onLeave }: SavedPanelProps) {
  return saved.isDone ? (
    <Done saved={saved} refused={refused} onLeave={onLeave} />
  ) : (
    <BrokenOff saved={saved} onChosen={onChosen} onLeave={onLeave} />
  );
}

/** It stays until the refused rows are no longer needed. */
function Done({ saved: { name, plan, at, progress }, refused, onLeave }: Omit<SavedPanelProps, 'onChosen'>) {
  return (
    <section class="import-saved" aria-labelledby="saved-title">
      <h2 id="saved-title">{name} was imported</h2>
      <p>
        {storedWords(plan, progress)}, <Moment at={at} />; {grouped(String(countOf(refused)))} rows were refused.
      </p>
      <div class="import-actions">
        <Button kind="main" onPress={onLeave}>
          Import another file
        </Button>
      </div>
      <RefusedList refused={refused} layout={plan.layout} name={name} isDry={false} />
    </section>
  );
}

function storedWords({ collection, key }: Plan, { added, updated }: Progress): string {
  const created = `${grouped(String(added))} records were added to ${collection}`;
  return key === undefined ? created : `${created}, ${grouped(String(updated))} were updated`;
}

function BrokenOff({ saved, onChosen, onLeave }: Omit<SavedPanelProps, 'refused'>) {
  const { name, plan, at, progress } = saved;
  const isOld = Date.now() - Date.parse(at) > rememberedMs;
  return (
    <section class="import-saved" aria-labelledby="saved-title">
      <h2 id="saved-title">An import of {name} was broken off</h2>
      <p>
        {grouped(String(progress.rows))} rows are done ({Math.floor(progress.share * 100)} % of the file),{' '}
        {storedWords(plan, progress)}, <Moment at={at} />. Choose the same file again to continue: it is recognised by
        its digest, and nothing is added twice.
      </p>
      {isOld ? (
        <p class="import-bad">
          This was a day ago. If the answer to the last batch was lost, the server may no longer know that it has it:
          look whether the records after row {grouped(String(progress.rows))} are in before you continue.
        </p>
      ) : null}
      <ChooseSource label="Choose the file again" takesText={name === 'pasted text'} onChosen={onChosen} />
      <div class="import-actions">
        <Button onPress={onLeave}>Give it up</Button>
      </div>
    </section>
  );
}
