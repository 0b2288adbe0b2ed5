/** The imports of this page, one for each collection. */
import { signal } from '@preact/signals';
import { onLeave } from '../../../state/session.ts';
import type { Job } from './job.ts';
import { forget, forgetAll } from './saved.ts';

export const jobs = signal<ReadonlyMap<string, Job>>(new Map());

export function start(job: Job): void {
  jobs.value = new Map([...jobs.value, [job.plan.collection, job]]);
  job.run();
}

/** What the browser has kept of it stays. */
export function dismiss(collection: string): void {
  jobs.value = new Map([...jobs.value].filter(([name]) => name !== collection));
}

/** Leaves the job behind, and what the browser has kept of it. */
export async function leave(collection: string): Promise<void> {
  dismiss(collection);
  await forget(collection).catch(() => {
    // Nothing was kept.
  });
}

onLeave(async () => {
  const left = [...jobs.value.values()];
  jobs.value = new Map();
  // A batch that ends later would be kept again.
  await Promise.all(left.map((job) => job.stop()));
  await forgetAll().catch(() => {
    // Nothing was kept.
  });
});
