/** How far a check or an import is, and what came of it. */
import { useEffect, useState } from 'preact/hooks';
import { grouped } from '../../../api/count.ts';
import { Button } from '../../../parts/button.tsx';
import { hrefOf } from '../../../state/address.ts';
import type { Job } from '../run/job.ts';
import { leftOf, rateOf } from '../run/pace.ts';
import { countOf } from '../run/refused.ts';
import { RefusedList } from './refused-list.tsx';

export type JobPanelProps = {
  readonly job: Job;
  /** After a check. */
  readonly onImport: () => void;
  /** To what was there before the job. */
  readonly onBack: () => void;
  /** Leaves the import behind. */
  readonly onLeave: () => void;
};

export function JobPanel(props: JobPanelProps) {
  const { job } = props;
  const state = job.state.value;
  const { rows, share } = job.progress.value;
  const { name } = job.source;
  const doing = job.isDry ? `Checking ${name}` : `Importing ${name} into ${job.collection.name}`;
  const title = state.kind === 'done' ? (job.isDry ? `${name} is checked` : `${name} is imported`) : doing;
  return (
    <section class="import-job" aria-labelledby="job-title">
      <h2 id="job-title">{title}</h2>
      <label class="import-progress">
        <span class="unseen">{doing}</span>
        <progress max={1} value={state.kind === 'done' ? 1 : share} />
      </label>
      <Figures job={job} />
      {job.isDry || job.isKept.value ? null : (
        <p class="import-bad">This browser keeps nothing for this page: a reload would lose the place of the import.</p>
      )}
      {state.kind === 'running' && state.waiting !== undefined ? (
        <p class="import-waiting" role="status">
          Waiting for the server, and trying again: {state.waiting}
        </p>
      ) : null}
      {state.kind === 'stopped' ? (
        <p role="alert">{state.isOtherFile ? state.why : stoppedWords(job, state.why, rows)}</p>
      ) : null}
      {state.kind === 'done' ? <p role="status">{doneWords(job)}</p> : null}
      <Actions {...props} />
      <RefusedList refused={job.refused} layout={job.plan.layout} name={name} isDry={job.isDry} />
    </section>
  );
}

function Actions({ job, onImport, onBack, onLeave }: JobPanelProps) {
  const state = job.state.value;
  const { added, updated } = job.progress.value;
  const stored = added + updated;
  if (state.kind === 'running')
    return (
      <div class="import-actions">
        <Button icon="pause" onPress={() => job.stop()}>
          {job.isDry ? 'Cancel' : 'Stop'}
        </Button>
      </div>
    );
  if (job.isDry)
    return (
      <div class="import-actions">
        {state.kind === 'done' ? (
          <Button
            icon="upload"
            kind="main"
            refused={stored === 0 ? 'No row can be added.' : undefined}
            onPress={onImport}
          >
            Import {counted(stored, 'record')}
          </Button>
        ) : null}
        <Button onPress={onBack}>Back to the columns</Button>
      </div>
    );
  return (
    <div class="import-actions">
      {state.kind === 'stopped' ? (
        state.isOtherFile ? (
          <Button kind="main" onPress={onBack}>
            Choose another file
          </Button>
        ) : (
          <Button icon="play" kind="main" onPress={() => job.run()}>
            Continue
          </Button>
        )
      ) : (
        <a class="button main" href={hrefOf([job.collection.name])}>
          Show {job.collection.name}
        </a>
      )}
      <Button onPress={onLeave}>{state.kind === 'stopped' ? 'Give it up' : 'Import another file'}</Button>
    </div>
  );
}

/** Redrawn each second, so that the rate and the time left are of now. */
function Figures({ job }: { readonly job: Job }) {
  const [, tick] = useState(0);
  const isRunning = job.state.value.kind === 'running';
  useEffect(() => {
    if (!isRunning) return;
    const timer = setInterval(() => tick((count) => count + 1), 1000);
    return () => clearInterval(timer);
  }, [isRunning]);
  const { rows, added, updated, present } = job.progress.value;
  const isKeyed = job.plan.key !== undefined;
  const pace = { ...job.begun, now: job.progress.value, ms: performance.now() - job.begun.at };
  return (
    <dl class="import-figures">
      <Figure name="Rows read" value={grouped(String(rows))} />
      <Figure name={job.isDry ? 'Can be added' : 'Added'} value={grouped(String(added))} />
      {isKeyed ? <Figure name={job.isDry ? 'Can be updated' : 'Updated'} value={grouped(String(updated))} /> : null}
      {present === 0 ? null : <Figure name="In already" value={grouped(String(present))} />}
      <Figure name="Refused" value={grouped(String(countOf(job.refused)))} />
      {isRunning ? <Figure name="Rows a second" value={rateOf(pace)} /> : null}
      {isRunning ? <Figure name="Time left" value={leftOf(pace)} /> : null}
    </dl>
  );
}

function Figure({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

function stoppedWords(job: Job, why: string, rows: number): string {
  if (job.isDry) return `The check has stopped. ${why} Nothing was added.`;
  return `The import has stopped. ${why} ${grouped(String(rows))} rows are done; nothing is added twice if you continue.`;
}

function doneWords(job: Job): string {
  const { added, updated, present, deleted } = job.progress.value;
  const count = countOf(job.refused);
  const parts = [
    job.isDry
      ? `${counted(added, 'row')} can be added`
      : `${counted(added, 'record')} ${added === 1 ? 'was' : 'were'} added`,
  ];
  if (job.plan.key !== undefined)
    parts.push(`${grouped(String(updated))} ${job.isDry ? 'can be' : updated === 1 ? 'was' : 'were'} updated`);
  if (present > 0)
    parts.push(`${grouped(String(present))} were in already from an import of the same file in the last 24 hours`);
  if (deleted > 0)
    parts.push(`${grouped(String(deleted))} of them no longer exist (shelf import --again imports a file anew)`);
  if (count > 0)
    parts.push(`${grouped(String(count))} ${job.isDry ? 'would be' : count === 1 ? 'was' : 'were'} refused`);
  return `${parts.join(', ')}.`;
}

const counted = (count: number, what: string) => `${grouped(String(count))} ${what}${count === 1 ? '' : 's'}`;
