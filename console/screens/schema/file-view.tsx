/** The file itself, with its comments: everything that the tables do not show can be changed here. */
import { copy } from '../../code/as-code.tsx';
import { Button } from '../../parts/button.tsx';
import { type Draft, edit } from '../../schema/draft.ts';

export function FileView({ draft: { base, text }, isJson }: { readonly draft: Draft; readonly isJson: boolean }) {
  return (
    <section class="schema-file" aria-labelledby="schema-file-title">
      <div class="schema-card-head">
        <h2 id="schema-file-title">{base.file ?? 'shelf.json'}</h2>
        <Button icon="copy" kind="quiet" onPress={() => copy(text)}>
          Copy the file
        </Button>
      </div>
      {isJson ? null : (
        <p class="mistakes" role="alert">
          This is not JSON with comments yet. The tables come back when it is.
        </p>
      )}
      <textarea
        class="input json"
        aria-labelledby="schema-file-title"
        rows={Math.min(40, Math.max(16, text.split('\n').length + 1))}
        spellcheck={false}
        value={text}
        onInput={({ currentTarget: { value } }) => edit(() => value)}
      />
    </section>
  );
}
