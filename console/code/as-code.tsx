/** What the screen shows or is about to do, as a command and as a program. */
import { useState } from 'preact/hooks';
import { notify } from '../state/notices.ts';
import './as-code.css';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';

export type Code = { readonly curl: string; readonly typescript: string };

/** `code` is called when it is asked for: a form changes with every letter. */
export function AsCode({ code }: { readonly code: () => Code }) {
  const [shown, show] = useState<Code | undefined>();
  return (
    <>
      <Button icon="code" kind="quiet" onPress={() => show(code())}>
        As code
      </Button>
      {shown === undefined ? null : (
        <Dialog title="As code" wide onClose={() => show(undefined)}>
          <Snippet title="As curl" text={shown.curl} />
          <Snippet title="As TypeScript" text={shown.typescript} />
        </Dialog>
      )}
    </>
  );
}

export function Snippet({ title, text }: { readonly title: string; readonly text: string }) {
  return (
    <section class="snippet" aria-label={title}>
      <div class="snippet-head">
        <h3>{title}</h3>
        <Button icon="copy" kind="quiet" label={`Copy: ${title}`} onPress={() => copy(text)} />
      </div>
      {/* A region that scrolls has to be reachable with the keyboard. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: see above */}
      <pre tabIndex={0}>{text}</pre>
    </section>
  );
}

/** The clipboard is there on https and on localhost only. */
/** Over plain HTTP from another machine, the browser has no other way to copy. */
function copySelected(text: string): boolean {
  const focused = document.activeElement;
  const area = document.createElement('textarea');
  area.value = text;
  // What is outside of an open dialog cannot be selected.
  (document.querySelector('dialog[open]') ?? document.body).append(area);
  area.select();
  const isCopied = document.execCommand('copy');
  area.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return isCopied;
}

export async function copy(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    notify({ kind: 'good', text: 'Copied.' });
  } catch {
    if (copySelected(text)) notify({ kind: 'good', text: 'Copied.' });
    else
      notify({
        kind: 'bad',
        text: 'The browser allows no copying here: select the text, and copy it with the keyboard.',
      });
  }
}
