/** The file was changed meanwhile: what they have changed, what you have changed, and what to go on with. */
import { Button } from '../../../parts/button.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { changedParts, nameOf, withParts } from '../../../schema/changed-parts.ts';
import type { Draft } from '../../../schema/draft.ts';
import type { Settings } from '../../../schema/settings.ts';

export type ConflictProps = {
  readonly draft: Draft;
  readonly theirs: Settings;
  readonly onClose: () => void;
  /** With the text to go on with, beside their file. */
  readonly onChosen: (text: string) => void;
};

export function Conflict({ draft: { base, text }, theirs, onClose, onChosen }: ConflictProps) {
  const mine = changedParts(base.text, text);
  const others = changedParts(base.text, theirs.text);
  const both = mine.filter((part) => others.some((other) => nameOf(other) === nameOf(part)));
  return (
    <Dialog
      title="Somebody else has changed the file"
      wide
      onClose={onClose}
      actions={
        <>
          <Button onPress={onClose}>Back to the draft</Button>
          <Button onPress={() => onChosen(theirs.text)}>Take theirs</Button>
          <Button kind="main" onPress={() => onChosen(withParts(theirs.text, mine))}>
            Take theirs, with your changes
          </Button>
        </>
      }
    >
      <p>
        Nothing is overwritten until you choose. Whatever you choose, the plan shows what it will do before it is done.
      </p>
      <dl class="schema-conflict">
        <div>
          <dt>They have changed</dt>
          <dd>{others.map(nameOf).join(', ') || 'comments, or other parts of the file'}</dd>
        </div>
        <div>
          <dt>You have changed</dt>
          <dd>{mine.map(nameOf).join(', ') || 'comments, or other parts of the file'}</dd>
        </div>
      </dl>
      {both.length === 0 ? null : (
        <p class="mistakes">
          Changed by both: {both.map(nameOf).join(', ')}. With your changes, yours are taken there.
        </p>
      )}
    </Dialog>
  );
}
