/** An import that an earlier page has begun: it continues when its file is chosen again. */
import { grouped } from '../../api/count.ts';
import { Button } from '../../parts/button.tsx';
import { Moment } from '../../parts/moment.tsx';
import { ChooseSource } from './choose-source.tsx';
import { Refused } from './refused.ts';
import { RefusedList } from './refused-list.tsx';
import type { Saved, SavedRefusals } from './saved.ts';
import type { Source } from './source.ts';

export type SavedPanelProps = {
  readonly saved: Saved;
  readonly refusals: readonly SavedRefusals[];
  readonly onChosen: (source: Source) => void;
  readonly onLeave: () => void;
};

/** The server remembers for 24 hours which batches are in, unless it is told otherwise. */
const rememberedMs = 23 * 3600 * 1000;

export function SavedPanel({ saved, refusals, onChosen, onLeave }: SavedPanelProps) {
  return saved.isDone ? (
    <Done saved={saved} refusals={refusals} onLeave={onLeave} />
  ) : (
    <BrokenOff saved={saved} onChosen={onChosen} onLeave={onLeave} />
  );
}

/** It stays until the refused rows are no longer needed. */
function Done({ saved: { name, plan, at, progress }, refusals, onLeave }: Omit<SavedPanelProps, 'onChosen'>) {
  const refused = new Refused(plan.layout);
  for (const { text, count, shown } of refusals) refused.restore(text, count, shown);
  return (
    <section class="import-saved" aria-labelledby="saved-title">
      <h2 id="saved-title">{name} was imported</h2>
      <p>
        {grouped(String(progress.added))} records were added to {plan.collection}, <Moment at={at} />;{' '}
        {grouped(String(refused.count))} rows were refused.
      </p>
      <div class="import-actions">
        <Button kind="main" onPress={onLeave}>
          Import another file
        </Button>
      </div>
      <RefusedList refused={refused} name={name} isDry={false} />
    </section>
  );
}

function BrokenOff({ saved, onChosen, onLeave }: Omit<SavedPanelProps, 'refusals'>) {
  const { name, plan, at, progress } = saved;
  const isOld = Date.now() - Date.parse(at) > rememberedMs;
  return (
    <section class="import-saved" aria-labelledby="saved-title">
      <h2 id="saved-title">An import of {name} was broken off</h2>
      <p>
        {grouped(String(progress.rows))} rows are done ({Math.floor(progress.share * 100)} % of the file),{' '}
        {grouped(String(progress.added))} records were added to {plan.collection}, <Moment at={at} />. Choose the same
        file again to continue: it is recognised by its digest, and nothing is added twice.
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
