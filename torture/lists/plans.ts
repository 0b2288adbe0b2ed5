/** Which write has which number, so that both threads know it. Lengths differ, and bytes are not characters. */

/** The list is longer than 1 MiB, so that it is streamed. */
export const seededCount = 30_000;
/** Writer n sends the writes n, n + writers, and so on, one after the other. */
export const writers = 8;

export type Planned = {
  readonly method: 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: string;
  readonly status: number;
  /** A part of the answer. */
  readonly answer: string;
  /** The seeded record that is changed or deleted, counted from 0; undefined for a new one. */
  readonly position?: number;
  /** The record as a list has it; empty for a deletion. */
  readonly record: string;
};

export type Plan = (write: number) => Planned;

const item = (id: number, name: string) => `{"id":${id},"name":"${name}","price":${id}.5}`;

/** What `seed` stores. */
export const seededRecords: readonly string[] = Array.from({ length: seededCount }, (_, at) =>
  at === 0 ? '{"id":1,"name":"Widget","price":9.99}' : item(at + 1, `Item number ${at + 1}`),
);

function post(write: number): Planned {
  const id = seededCount + 1 + write;
  const record = item(id, `Added ${id} ${'é'.repeat(id % 7)}`);
  return { method: 'POST', path: '/api/items', body: record, status: 201, answer: record, record };
}

/** A writer changes only records whose id has its remainder, so that no two change the same one. */
const own = (write: number, at: number) => (write % writers) + writers * (1 + at);

/** Of a record anywhere in the list. The factor is a prime. */
function patch(write: number): Planned {
  const id = own(write, (write * 7919) % (seededCount / writers - 1));
  const name = `Item number ${id} ${'é'.repeat(write % 7)} write ${write}`;
  const record = item(id, name);
  return {
    method: 'PATCH',
    path: `/api/v2/items/${id}`,
    body: JSON.stringify({ name }),
    status: 200,
    answer: `"external_id":${id},"name":"${name}",`,
    position: id - 1,
    record,
  };
}

/** Of one record after the other. */
function remove(write: number): Planned {
  const id = own(write, Math.floor(write / writers));
  return { method: 'DELETE', path: `/api/v2/items/${id}`, status: 204, answer: '', position: id - 1, record: '' };
}

const changes = [patch, patch, patch, patch, remove, remove, post, post];

export const plans = {
  appends: post,
  changes: (write: number) => (changes[write % writers] ?? post)(write),
} as const satisfies Record<string, Plan>;

export type PlanName = keyof typeof plans;
