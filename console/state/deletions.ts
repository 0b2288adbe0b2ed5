/** Deletions that wait for their undo time. A page that is left sends them at once: a deletion is never forgotten. */
import { signal } from '@preact/signals';
import type { Row } from '../api/pages.ts';
import { messageOf } from '../api/problem.ts';
import { deleteRequest } from '../api/records.ts';
import { send } from '../api/request.ts';
import { notify } from './notices.ts';

const undoMs = 6000;

type Deletion = { readonly collection: string; readonly row: Row; readonly timer: ReturnType<typeof setTimeout> };

/** By `collection/id`. */
export const deletions = signal<ReadonlyMap<string, Deletion>>(new Map());

export function deleteLater(collection: string, singular: string, row: Row): void {
  const key = `${collection}/${row.id}`;
  const timer = setTimeout(() => {
    removeNotice();
    carryOut(key);
  }, undoMs);
  deletions.value = new Map([...deletions.value, [key, { collection, row, timer }]]);
  const removeNotice = notify({
    kind: 'good',
    text: `The ${singular} ${row.id} is deleted in ${undoMs / 1000} seconds, or when you leave the page.`,
    action: {
      label: 'Undo',
      run() {
        clearTimeout(timer);
        forget(key);
      },
    },
  });
}

function forget(key: string): void {
  deletions.value = new Map([...deletions.value].filter(([one]) => one !== key));
}

async function carryOut(key: string): Promise<void> {
  const deletion = deletions.value.get(key);
  if (deletion === undefined) return;
  const { collection, row, timer } = deletion;
  clearTimeout(timer);
  try {
    await send({ ...deleteRequest(collection, row), keepalive: true });
  } catch (error) {
    notify({ kind: 'bad', text: `Record ${row.id} of ${collection} was not deleted. ${messageOf(error)}` });
  }
  forget(key);
}

window.addEventListener('pagehide', () => {
  for (const key of deletions.value.keys()) carryOut(key);
});
