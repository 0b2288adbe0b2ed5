/** What goes to the log: one entry per request, and errors. */

export const levels = ['info', 'warn', 'error'] as const;
export type Level = (typeof levels)[number];

export type RequestEntry = {
  readonly level: Level;
  readonly event: 'request';
  readonly request_id: string;
  /** Empty, as the path, of what was no request. */
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly bytes: number;
  readonly ms: number;
  /** The address that it came from. */
  readonly client?: string;
  /** The name of the key that it came with. */
  readonly key?: string;
  readonly trace_id?: string;
  /** Of a slow one: how long its body took to come, and everything else; and how many others were under way. */
  readonly slow?: { readonly body_ms: number; readonly work_ms: number; readonly under_way: number };
};

export type ErrorEntry = {
  readonly level: 'error';
  readonly event: 'error';
  readonly request_id: string;
  readonly error: unknown;
};

/** What an operator has to know of the database, told once when it begins. */
export type StorageEntry = { readonly level: 'error'; readonly event: 'storage'; readonly message: string };

export type Log = (entry: RequestEntry | ErrorEntry | StorageEntry) => void;
