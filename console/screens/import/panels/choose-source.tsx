/** Takes a file or a text: chosen, dropped or pasted. */
import { useId, useState } from 'preact/hooks';
import { Button } from '../../../parts/button.tsx';
import { Icon } from '../../../parts/icon.tsx';
import type { Source } from '../source.ts';

export type ChooseSourceProps = {
  readonly label: string;
  /** A text can be pasted, too. */
  readonly takesText: boolean;
  readonly onChosen: (source: Source) => void;
};

const accepted = '.csv,.tsv,.txt,.ndjson,.jsonl,.json,text/csv,application/x-ndjson,application/json';

export function ChooseSource({ label, takesText, onChosen }: ChooseSourceProps) {
  const id = useId();
  const [isOver, setOver] = useState(false);
  const [text, setText] = useState('');
  function take(files: FileList | null | undefined): void {
    const file = files?.[0];
    if (file !== undefined) onChosen({ name: file.name, blob: file });
  }
  return (
    <div class="choose-source">
      {/* Dropping is for a pointer; the button beside it does the same with the keyboard. */}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: see above */}
      <div
        class={isOver ? 'drop over' : 'drop'}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          setOver(false);
          take(event.dataTransfer?.files);
        }}
      >
        <Icon name="upload" size={26} />
        <label class="button main" for={id}>
          {label}
        </label>
        <input
          id={id}
          class="unseen"
          type="file"
          accept={accepted}
          onChange={({ currentTarget }) => {
            take(currentTarget.files);
            // The same file can be chosen again.
            currentTarget.value = '';
          }}
        />
        <span class="soft">
          or drop it here: CSV with a first row of names, NDJSON with one object per line, or a JSON list of objects
        </span>
      </div>
      {takesText ? (
        <form
          class="paste"
          onSubmit={(event) => {
            event.preventDefault();
            if (text.trim() !== '') onChosen({ name: 'pasted text', blob: new Blob([text]) });
          }}
        >
          <label for={`${id}-text`}>Or paste rows, for example from a spreadsheet</label>
          <textarea
            id={`${id}-text`}
            class="input"
            rows={5}
            spellcheck={false}
            value={text}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
          <Button submits refused={text.trim() === '' ? 'Paste some rows first.' : undefined}>
            Use this text
          </Button>
        </form>
      ) : null}
    </div>
  );
}
