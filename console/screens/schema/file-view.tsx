/** The file itself, with its comments: everything that the tables do not show can be changed here. Each mistake leads to its place. */
import { useRef } from 'preact/hooks';
import { copy } from '../../code/as-code.tsx';
import { Button } from '../../parts/button.tsx';
import { type Draft, edit } from '../../schema/draft.ts';
import { brokenAt, lineOf, type Place, placeOf } from '../../schema/file/place-of.ts';
import type { Mistake } from '../../schema/settings.ts';

export function FileView({ draft: { base, text }, mistakes }: { draft: Draft; mistakes: readonly Mistake[] }) {
  const area = useRef<HTMLTextAreaElement>(null);
  const broken = brokenAt(text);
  const placed =
    broken === undefined
      ? mistakes.map(({ path, message }) => ({ place: placeOf(text, path), words: `${path}: ${message}` }))
      : [{ place: broken, words: 'This is not JSON with comments yet. The tables come back when it is.' }];
  function select({ offset, length }: Place): void {
    area.current?.focus();
    area.current?.setSelectionRange(offset, offset + length);
  }
  return (
    <section class="schema-file" aria-labelledby="schema-file-title">
      <div class="schema-card-head">
        <h2 id="schema-file-title">{base.file ?? 'shelf.json'}</h2>
        <Button icon="copy" kind="quiet" onPress={() => copy(text)}>
          Copy the file
        </Button>
      </div>
      {placed.length === 0 ? null : (
        <div class="mistakes" role="alert">
          <ul class="plain-list">
            {placed.map(({ place, words }) => (
              <li key={words}>
                {place === undefined ? null : (
                  <>
                    <button type="button" onClick={() => select(place)}>
                      Line {lineOf(text, place)}
                    </button>{' '}
                  </>
                )}
                {words}
              </li>
            ))}
          </ul>
        </div>
      )}
      <textarea
        ref={area}
        class="input json"
        aria-labelledby="schema-file-title"
        aria-invalid={placed.length > 0 ? true : undefined}
        rows={Math.min(40, Math.max(16, text.split('\n').length + 1))}
        spellcheck={false}
        value={text}
        onInput={({ currentTarget: { value } }) => edit(() => value)}
      />
    </section>
  );
}
