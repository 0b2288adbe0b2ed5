/** Brings in a file: its columns are chosen, it is checked, and it is added in batches. */
import { useEffect, useState } from 'preact/hooks';
import type { Collection } from '../api/declarations.ts';
import { messageOf } from '../api/problem.ts';
import { AsCode } from '../parts/as-code.tsx';
import { address, go, hrefOf } from '../state/address.ts';
import { refusal, session } from '../state/session.ts';
import { ChooseSource } from './import/choose-source.tsx';
import { codeOf } from './import/code.ts';
import { ColumnsPanel } from './import/columns-panel.tsx';
import { Job } from './import/job.ts';
import { JobPanel } from './import/job-panel.tsx';
import { dismiss, jobs, leave, start } from './import/jobs.ts';
import { lookAt } from './import/layout.ts';
import { guessPlan, type Plan, targetsOf } from './import/plan.ts';
import { load, type Saved, type SavedRefusals } from './import/saved.ts';
import { SavedPanel } from './import/saved-panel.tsx';
import type { Source, SourceRow } from './import/source.ts';
import './import.css';

export function Import() {
  const current = session.value;
  if (current.kind !== 'open') return null;
  const { collections, me } = current;
  const asked = new URLSearchParams(address.value.search).get('collection');
  const collection = collections.find(({ name }) => name === asked) ?? collections[0];
  if (collection === undefined) return <p class="plain-screen">There is no collection to import into.</p>;
  return <Into key={collection.name} collection={collection} collections={collections} withKey={me.auth !== 'off'} />;
}

type IntoProps = {
  readonly collection: Collection;
  readonly collections: readonly Collection[];
  readonly withKey: boolean;
};

type Draft = { readonly source: Source; readonly plan: Plan; readonly rows: readonly SourceRow[] };

/** Before a file is chosen: one with the names of the fields. */
function exampleOf(collection: Collection): Draft {
  const columns = targetsOf(collection).map(({ name }) => name);
  const layout = { format: 'csv', separator: ',', header: '', columns } as const;
  return {
    source: { name: `${collection.name}.csv`, blob: new Blob() },
    plan: guessPlan(collection, layout),
    rows: [],
  };
}
type Earlier = { readonly saved: Saved; readonly refusals: readonly SavedRefusals[] };

function Into({ collection, collections, withKey }: IntoProps) {
  const { name } = collection;
  const [draft, setDraft] = useState<Draft | undefined>();
  const [failure, setFailure] = useState('');
  const [earlier, setEarlier] = useState<Earlier | undefined>();
  const refused = refusal('write', name);
  const job = jobs.value.get(name);
  useEffect(() => {
    load(name).then(setEarlier, () => {
      // The browser keeps nothing.
    });
  }, []);

  async function choose(source: Source): Promise<void> {
    try {
      const { layout, rows } = await lookAt(source);
      setDraft({ source, plan: guessPlan(collection, layout), rows });
      setFailure('');
    } catch (error) {
      setFailure(`${source.name} cannot be imported. ${messageOf(error)}`);
    }
  }
  async function startOver(): Promise<void> {
    setDraft(undefined);
    setEarlier(undefined);
    await leave(name);
  }
  const begin = ({ source, plan }: Pick<Draft, 'source' | 'plan'>, isDry: boolean) =>
    start(new Job(source, plan, collection, isDry));

  function body() {
    if (refused !== undefined)
      return (
        <p>
          Nothing can be imported into {name}. {refused}
        </p>
      );
    if (job !== undefined)
      return <JobPanel job={job} onImport={() => begin(job, false)} onBack={() => dismiss(name)} onLeave={startOver} />;
    if (earlier !== undefined && draft === undefined)
      return (
        <SavedPanel
          {...earlier}
          onChosen={(source) => start(new Job(source, earlier.saved.plan, collection, false, earlier))}
          onLeave={startOver}
        />
      );
    if (draft === undefined) return <ChooseSource label="Choose a file" takesText onChosen={choose} />;
    return (
      <ColumnsPanel
        name={draft.source.name}
        collection={collection}
        plan={draft.plan}
        rows={draft.rows}
        onPlan={(plan) => setDraft({ ...draft, plan })}
        onCheck={() => begin(draft, true)}
        onImport={() => begin(draft, false)}
        onBack={() => setDraft(undefined)}
      />
    );
  }

  return (
    <>
      <div class="screen-head">
        <h1>Import</h1>
        <AsCode code={() => codeOf(draft ?? exampleOf(collection), collection, withKey)} />
      </div>
      <div class="plain-screen import">
        <label class="import-into">
          Into
          <select
            class="input"
            value={name}
            onChange={({ currentTarget: { value } }) =>
              go(hrefOf(['-', 'import'], new URLSearchParams({ collection: value }).toString()))
            }
          >
            {collections.map((one) => (
              <option key={one.name} value={one.name}>
                {one.title ?? one.name}
              </option>
            ))}
          </select>
        </label>
        {failure === '' ? null : <p role="alert">{failure}</p>}
        {body()}
      </div>
    </>
  );
}
