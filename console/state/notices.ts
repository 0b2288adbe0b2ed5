/** Short messages at the edge of the screen. */
import { signal } from '@preact/signals';

export type Notice = {
  readonly id: number;
  readonly kind: 'good' | 'bad';
  readonly text: string;
  readonly action?: { readonly label: string; run(): void };
};

export const notices = signal<readonly Notice[]>([]);
let made = 0;
const shownMs = 6000;

/** Returns a function that removes it. A notice with an action, or of a failure, stays until it is closed. */
export function notify(notice: Omit<Notice, 'id'>): () => void {
  const id = ++made;
  const remove = () => removeNotice(id);
  notices.value = [...notices.value, { ...notice, id }];
  if (notice.kind === 'good' && notice.action === undefined) setTimeout(remove, shownMs);
  return remove;
}

export function removeNotice(id: number): void {
  notices.value = notices.value.filter((one) => one.id !== id);
}

/** What was said is about records that the next person may not see. */
export function removeNotices(): void {
  notices.value = [];
}
