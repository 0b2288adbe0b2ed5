/** A file becomes a new collection: its fields are proposed from the values, looked at, and made with one button. */
import { useEffect, useMemo, useState } from 'preact/hooks';
import { grouped } from '../../../api/count.ts';
import { messageOf } from '../../../api/problem.ts';
import { copy } from '../../../code/as-code.tsx';
import { Button } from '../../../parts/button.tsx';
import { addCollection } from '../../../schema/file/collection-edits.ts';
import { MistakeList } from '../../../schema/mistake-list.tsx';
import { Mistakes } from '../../../schema/mistakes.ts';
import { readSettings, type Settings } from '../../../schema/settings.ts';
import { usePlan } from '../../../schema/use-plan.ts';
import { useLoaded } from '../../../state/loaded.ts';
import type { Source } from '../source.ts';
import { ColumnRow } from './column-row.tsx';
import { make } from './make.ts';
import { declarationOf, type Proposed, propose, withColumn } from './proposed.ts';

export type NewPanelProps = {
  readonly source: Source;
  /** Names of collections that exist. */
  readonly taken: readonly string[];
  readonly onBack: () => void;
};

export function NewPanel({ source, taken, onBack }: NewPanelProps) {
  const settings = useLoaded(readSettings, []).value;
  const [proposed, setProposed] = useState<Proposed | undefined>();
  const [failure, setFailure] = useState('');
  useEffect(() => {
    propose(source, taken).then(setProposed, (error) => {
      const why = messageOf(error);
      setFailure(`${source.name}${why.startsWith('line') ? ', ' : ' '}${why}${why.endsWith('.') ? '' : '.'}`);
    });
  }, [source]);
  if (failure !== '' || settings.kind === 'failed')
    return (
      <>
        <p role="alert">{failure !== '' || settings.kind !== 'failed' ? failure : settings.why}</p>
        <div class="import-actions">
          <Button onPress={onBack}>Choose another file</Button>
        </div>
      </>
    );
  if (settings.kind === 'waiting' || proposed === undefined)
    return <p class="soft">Looking at every row of {source.name} …</p>;
  return <Proposal base={settings.value} proposed={proposed} taken={taken} onChange={setProposed} onBack={onBack} />;
}

type ProposalProps = {
  readonly base: Settings;
  readonly proposed: Proposed;
  readonly taken: readonly string[];
  readonly onChange: (proposed: Proposed) => void;
  readonly onBack: () => void;
};

function Proposal({ base, proposed, taken, onChange, onBack }: ProposalProps) {
  const [isMaking, setMaking] = useState(false);
  const [failure, setFailure] = useState('');
  const { name, rows, columns, source } = proposed;
  const text = useMemo(() => addCollection(base.text, declarationOf(proposed)), [base, proposed]);
  const planned = usePlan(text, base.text);
  const mistakes = new Mistakes(planned.plan?.mistakes ?? []);
  const path = ['collections', name];
  const refused = whyNot();
  function whyNot(): string | undefined {
    if (isMaking) return 'The collection is being made.';
    if (taken.includes(name)) return `There is a collection "${name}" already.`;
    if (!base.editable) return `The file cannot be changed here: ${base.reason}.`;
    if (planned.failure !== undefined) return planned.failure;
    return (planned.plan?.mistakes.length ?? 0) > 0 ? 'Correct the mistakes first.' : undefined;
  }
  async function press(): Promise<void> {
    setMaking(true);
    try {
      await make(proposed, base);
    } catch (error) {
      setFailure(messageOf(error));
      setMaking(false);
    }
  }
  return (
    <section class="proposal" aria-labelledby="proposal-title">
      <div class="proposal-head">
        <div>
          <h2 id="proposal-title">
            {grouped(String(rows))} {rows === 1 ? 'record' : 'records'} in {source.name}
          </h2>
          <p class="soft">
            Each field has the strictest type that all of its values have. Change what you know better.
          </p>
        </div>
        <div class="import-actions">
          <Button onPress={onBack}>Choose another file</Button>
          <Button kind="main" icon="check" refused={refused} onPress={press}>
            Create {name} and import {grouped(String(rows))} {rows === 1 ? 'record' : 'records'}
          </Button>
        </div>
      </div>
      {failure === '' ? null : <p role="alert">{failure}</p>}
      {base.editable ? null : (
        <div class="import-waiting">
          <p>
            The file cannot be changed here: {base.reason}. Copy it, start the server with it, and import the records
            into the collection.
          </p>
          <Button icon="copy" onPress={() => copy(text)}>
            Copy the file
          </Button>
        </div>
      )}
      <div class="proposal-names">
        <label>
          Collection
          <input
            class="input"
            spellcheck={false}
            autocomplete="off"
            value={name}
            aria-invalid={taken.includes(name) || mistakes.at(...path).length > 0 ? true : undefined}
            onInput={({ currentTarget }) => onChange({ ...proposed, name: currentTarget.value })}
          />
        </label>
        <label>
          One record is a
          <input
            class="input"
            spellcheck={false}
            autocomplete="off"
            value={proposed.singular}
            aria-invalid={mistakes.in([...path, 'singular']).length > 0 ? true : undefined}
            onInput={({ currentTarget }) => onChange({ ...proposed, singular: currentTarget.value })}
          />
        </label>
      </div>
      <MistakeList
        mistakes={[
          ...(taken.includes(name) ? [`There is a collection "${name}" already: choose another name.`] : []),
          ...mistakes.in(path, ['fields']),
          ...mistakes.at(...path, 'fields'),
        ]}
      />
      <ol class="proposal-columns plain-list" aria-label="Fields">
        {columns.map((column, place) => (
          <ColumnRow
            key={column.column}
            column={column}
            path={[...path, 'fields', column.field.name]}
            mistakes={mistakes}
            collections={taken}
            onChange={(change) => onChange(withColumn(proposed, place, change))}
          />
        ))}
      </ol>
    </section>
  );
}
