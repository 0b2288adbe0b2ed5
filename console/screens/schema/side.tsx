/** What the draft would do to the data, and the button that does it. */
import { useState } from 'preact/hooks';
import { messageOf, ShelfError } from '../../api/problem.ts';
import { copy } from '../../code/as-code.tsx';
import { Button } from '../../parts/button.tsx';
import { begin, type Draft, draft as drafts, edit, isChanged } from '../../schema/draft.ts';
import { PlanList } from '../../schema/plan-list.tsx';
import { applySettings, type Plan, readSettings, type Settings } from '../../schema/settings.ts';
import type { Planned } from '../../schema/use-plan.ts';
import { hrefOf } from '../../state/address.ts';
import { notify } from '../../state/notices.ts';
import { readAgain } from '../../state/session.ts';
import { Allow } from './dialogs/allow.tsx';
import { Conflict } from './dialogs/conflict.tsx';
import { Renames } from './renames.tsx';
import { Unserved } from './unserved.tsx';

export function Side({ draft, planned }: { readonly draft: Draft; readonly planned: Planned }) {
  const { base, text, allowed } = draft;
  const { plan, isCurrent, failure } = planned;
  const [isApplying, setApplying] = useState(false);
  const [theirs, setTheirs] = useState<Settings | undefined>();
  const steps = plan?.steps ?? [];
  const refused = whyNot(draft, planned) ?? (isApplying ? 'It is being applied.' : undefined);

  async function apply(): Promise<void> {
    setApplying(true);
    try {
      const needed = steps.flatMap(({ allow }) => (allow !== null && allowed.has(allow) ? [allow] : []));
      begin(await applySettings(text, needed, base.etag));
      await readAgain();
      notify({ kind: 'good', text: 'Done: the server serves the collections as you see them.' });
    } catch (error) {
      if (error instanceof ShelfError && error.status === 412) await showConflict();
      else notify({ kind: 'bad', text: `Nothing was changed. ${messageOf(error)}` });
    }
    setApplying(false);
  }
  async function showConflict(): Promise<void> {
    try {
      setTheirs(await readSettings());
    } catch (error) {
      notify({ kind: 'bad', text: `Nothing was changed. ${messageOf(error)}` });
    }
  }
  function discard(): void {
    begin(base);
    notify({
      kind: 'good',
      text: 'Your changes of the schema are discarded.',
      action: {
        label: 'Undo',
        run: () => {
          drafts.value = draft;
        },
      },
    });
  }

  return (
    <aside class={isChanged(draft) ? 'schema-side card changed' : 'schema-side card'} aria-labelledby="schema-plan">
      <h2 id="schema-plan">What this will do</h2>
      <div role="status" aria-busy={!isCurrent}>
        <Words draft={draft} planned={planned} />
      </div>
      {failure === undefined ? null : <p role="alert">{failure}</p>}
      <Renames renames={plan?.renames ?? []} text={text} />
      {steps.length === 0 || !isChanged(draft) ? null : <PlanList steps={steps} />}
      <Unserved draft={draft} />
      <Violations lines={plan?.violations ?? []} />
      <Allow steps={steps} />
      {base.is_served ? null : (
        <p class="schema-reason">Another program has changed the file, and the server has not taken it over yet.</p>
      )}
      {base.editable ? null : (
        <p class="schema-reason">
          {reasonOf(base)} Change what you want here, copy <a href={hrefOf(['-', 'schema'], 'view=file')}>the file</a>,
          and start the server with it.
        </p>
      )}
      {isChanged(draft) ? (
        <div class="schema-actions">
          <Button kind="main" refused={refused} onPress={apply}>
            Apply
          </Button>
          {base.editable ? null : (
            <Button icon="copy" onPress={() => copy(text)}>
              Copy the file
            </Button>
          )}
          <Button onPress={discard}>Discard</Button>
        </div>
      ) : null}
      {theirs === undefined ? null : (
        <Conflict
          draft={draft}
          theirs={theirs}
          onClose={() => setTheirs(undefined)}
          onChosen={(next) => {
            begin(theirs);
            edit(() => next);
            setTheirs(undefined);
          }}
        />
      )}
    </aside>
  );
}

function reasonOf({ reason }: Settings): string {
  return `The file cannot be changed here${reason === null ? '' : `: ${reason}`}.`;
}

function Words({ draft, planned: { plan, isCurrent } }: { readonly draft: Draft; readonly planned: Planned }) {
  if (!isChanged(draft))
    return <p class="soft">Change something, and this says what it will do to the records, before it is done.</p>;
  if (plan === undefined) return <p class="soft">{isCurrent ? '' : 'Looking at the records …'}</p>;
  const { mistakes, steps } = plan;
  if (mistakes.length > 0)
    return (
      <>
        <p>{mistakes.length === 1 ? 'One mistake' : `${mistakes.length} mistakes`}:</p>
        <ul class="schema-mistakes plain-list">
          {mistakes.map(({ path, message }) => (
            <li key={`${path} ${message}`}>
              {path === '' ? null : <b>{path.replace(/^collections\./, '').replace('.fields.', '.')}</b>} {message}
            </li>
          ))}
        </ul>
      </>
    );
  return steps.length === 0 ? <p>Nothing happens to the records.</p> : null;
}

function whyNot({ base, allowed }: Draft, { plan, isCurrent, failure }: Planned): string | undefined {
  if (!base.editable) return reasonOf(base);
  if (failure !== undefined) return failure;
  if (!isCurrent || plan === undefined) return 'The records are being looked at.';
  return whyNotPlan(plan, allowed);
}

function Violations({ lines }: { readonly lines: readonly string[] }) {
  if (lines.length === 0) return null;
  return (
    <div class="mistakes">
      <p>These records do not fit, and have to be changed first:</p>
      <ul class="plain-list">
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </div>
  );
}

function whyNotPlan({ mistakes, steps, violations }: Plan, allowed: ReadonlySet<string>): string | undefined {
  if (mistakes.length > 0) return 'Correct the mistakes first.';
  if (steps.some(({ risk }) => risk === 'refused')) return 'A step is never done: change the file first.';
  if (violations.length > 0 || steps.some(({ failing }) => failing.length > 0))
    return 'Change the records that do not fit first.';
  const missing = steps.find(({ allow }) => allow !== null && !allowed.has(allow))?.allow;
  return missing === undefined || missing === null ? undefined : `Type ${missing.split(':')[1]} to allow it first.`;
}
