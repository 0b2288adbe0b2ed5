/** Where a letter is text, and no key of the screen. */
export function isTyping(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('input:not([type="checkbox"]), textarea, select') !== null;
}
