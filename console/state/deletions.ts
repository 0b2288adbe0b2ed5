/** Deletions that wait for their undo time. A page that is left sends them at once: a deletion is never forgotten. */
import { signal } from '@preact/signals';
import type { Collection } from '../api/declarations.ts';
import { type Batch, faultIn } from '../api/delete-many.ts';
import type { Row } from '../api/pages.ts';
import { messageOf, ShelfError } from '../api/problem.ts';
import { send } from '../api/request.ts';
import { notify } from './notices.ts';
import { onLeave } from './session.ts';

const undoMs = 6000;
/** A browser sends at most 64 KiB after a page is left. */
const mostOnLeaving = 60_000;

export type Deletion = {
  readonly collection: Collection;
  /** Sent one after the other, until one fails. */
  readonly batches: readonly Batch[];
  readonly onDeleted?: (rows: readonly Row[]) => void;
};

/** Until the last batch is answered. */
export const deletions = signal<readonly Deletion[]>([]);
/** The timers of those whose undo time is not over. */
const waiting = new Map<Deletion, ReturnType<typeof setTimeout>>();

/** The ids of the records that are to be deleted. */
export function toBeDeleted({ name }: Collection): ReadonlySet<string> {
  const own = deletions.value.filter(({ collection }) => collection.name === name);
  return new Set(own.flatMap(rowsOf).map(({ id }) => id));
}

/** Does nothing if one of the records is to be deleted already. */
export function deleteLater(deletion: Deletion): void {
  const others = toBeDeleted(deletion.collection);
  if (rowsOf(deletion).some(({ id }) => others.has(id))) return;
  deletions.value = [...deletions.value, deletion];
  const timer = setTimeout(() => {
    removeNotice();
    carryOut(deletion);
  }, undoMs);
  waiting.set(deletion, timer);
  const when = isSentOnLeaving(deletion) ? 'or when you leave the page' : 'if you do not leave the page';
  const removeNotice = notify({
    kind: 'good',
    text: `${subjectOf(deletion)} deleted in ${undoMs / 1000} seconds, ${when}.`,
    action: {
      label: 'Undo',
      run() {
        clearTimeout(timer);
        waiting.delete(deletion);
        forget(deletion);
      },
    },
  });
}

const rowsOf = ({ batches }: Deletion) => batches.flatMap(({ rows }) => rows);

/** `3 books`. */
export function countOf({ singular, name }: Collection, count: number): string {
  return `${count.toLocaleString('en-US')} ${count === 1 ? singular : name}`;
}

function subjectOf(deletion: Deletion): string {
  const { collection } = deletion;
  const rows = rowsOf(deletion);
  return rows.length === 1 ? `The ${collection.singular} ${rows[0]?.id} is` : `${countOf(collection, rows.length)} are`;
}

function isSentOnLeaving({ batches }: Deletion): boolean {
  return batches.length === 1 && (batches[0]?.request.body ?? '').length <= mostOnLeaving;
}

function forget(deletion: Deletion): void {
  deletions.value = deletions.value.filter((one) => one !== deletion);
}

async function carryOut(deletion: Deletion): Promise<void> {
  clearTimeout(waiting.get(deletion));
  waiting.delete(deletion);
  const { collection, batches, onDeleted } = deletion;
  const keepalive = isSentOnLeaving(deletion);
  let removeProgress = () => {};
  let done = 0;
  const all = rowsOf(deletion).length;
  for (const [place, { rows, request }] of batches.entries()) {
    try {
      await send({ ...request, keepalive });
    } catch (error) {
      explain(deletion, place, error);
      break;
    }
    onDeleted?.(rows);
    done += rows.length;
    if (batches.length === 1) continue;
    removeProgress();
    removeProgress = notify({
      kind: 'good',
      text: `${done.toLocaleString('en-US')} of ${countOf(collection, all)} are deleted.`,
    });
  }
  forget(deletion);
}

/** `place` is that of the batch that failed. */
function explain(deletion: Deletion, place: number, error: unknown): void {
  const { collection, batches } = deletion;
  const rows = rowsOf(deletion);
  const rest = { ...deletion, batches: batches.slice(place) };
  const left = rowsOf(rest).length;
  const why = messageOf(error);
  if (error instanceof ShelfError && error.code === 'outcome_unknown' && error.idempotencyKey !== undefined) {
    const text = `Whether ${countOf(collection, left)} were deleted is unknown. ${why}`;
    notify({ kind: 'bad', text, action: { label: 'Retry', run: () => again(rest) } });
    return;
  }
  const fault = batches[place] && faultIn(batches[place], error);
  const reason = fault?.id === undefined ? why : `Record ${fault.id}: ${fault.why}`;
  const text =
    rows.length === 1
      ? `Record ${rows[0]?.id} of ${collection.name} was not deleted.`
      : left === rows.length
        ? `None of the ${countOf(collection, left)} were deleted.`
        : `${countOf(collection, rows.length - left)} were deleted, ${left} were not.`;
  notify({ kind: 'bad', text: `${text} ${reason}` });
}

function again(deletion: Deletion): void {
  deletions.value = [...deletions.value, deletion];
  carryOut(deletion);
}

window.addEventListener('pagehide', () => {
  for (const deletion of waiting.keys()) if (isSentOnLeaving(deletion)) carryOut(deletion);
});

onLeave(async () => {
  await Promise.all([...waiting.keys()].map(carryOut));
});

// The browser asks with words of its own.
window.addEventListener('beforeunload', (event) => {
  if (!deletions.value.every(isSentOnLeaving)) event.preventDefault();
});
