/** The keys of every screen: finding things, the list of keys, and the way to the table. */
import { useEffect, useRef } from 'preact/hooks';
import { isTyping } from '../parts/typing.ts';
import { address } from '../state/address.ts';
import { finding } from '../state/finding.ts';
import type { OpenSession } from '../state/session.ts';
import { KeyList } from './key-list.tsx';
import { Palette } from './palette.tsx';

const tableElement = () => document.getElementById('table');

export function Finder({ session }: { readonly session: OpenSession }) {
  const { path } = address.value;
  /** The next Tab is the first on this screen. */
  const isAtTop = useRef(true);
  useEffect(() => {
    isAtTop.current = true;
  }, [path.join('/')]);
  useEffect(() => {
    function onKeyDown(event: KeyboardEvent): void {
      const isFirst = isAtTop.current;
      if (event.key === 'Tab') isAtTop.current = false;
      if (event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey) && !event.shiftKey)
        finding.value = 'palette';
      else if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target))
        return;
      else if (event.key === '?') finding.value = 'keys';
      else if (event.key === '/') document.querySelector<HTMLElement>('[type="search"]')?.focus();
      else if (
        event.key === 'Tab' &&
        !event.shiftKey &&
        isFirst &&
        document.activeElement === document.body &&
        tableElement()
      )
        tableElement()?.focus();
      else return;
      event.preventDefault();
    }
    /** The content of a table screen is its table, if it has rows. */
    function onClick(event: Event): void {
      const isSkip = event.target instanceof Element && event.target.closest('.skip') !== null;
      if (!isSkip || tableElement() === null) return;
      event.preventDefault();
      tableElement()?.focus();
    }
    window.addEventListener('keydown', onKeyDown);
    document.addEventListener('click', onClick);
    return () => {
      window.removeEventListener('keydown', onKeyDown);
      document.removeEventListener('click', onClick);
    };
  }, []);
  const close = () => {
    finding.value = undefined;
  };
  if (finding.value === 'palette') return <Palette session={session} onClose={close} />;
  return finding.value === 'keys' ? <KeyList onClose={close} /> : null;
}
