/** The imports of this page, one for each collection. */
import { signal } from '@preact/signals';
import type { Job } from './job.ts';
import { forget } from './saved.ts';

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
