/** The configuration file of the server, for callers of scope admin. */
import { plain } from '../api/json.ts';
import { type Request, receive, send } from '../api/request.ts';

export type Served = Readonly<Record<string, { readonly fields: Readonly<Record<string, unknown>> }>>;

export type Settings = {
  /** Null if the server was started without one. */
  readonly file: string | null;
  readonly text: string;
  /** False if another program has changed the file, and the server has not taken it over. */
  readonly is_served: boolean;
  readonly editable: boolean;
  /** Why it cannot be changed here. */
  readonly reason: string | null;
  /** The declarations in effect. */
  readonly collections: Served;
  readonly etag: string;
};

export type Mistake = { readonly path: string; readonly message: string };

export type Step = {
  readonly text: string;
  readonly risk: 'none' | 'check' | 'loss' | 'refused';
  readonly loses: boolean;
  /** What has to be allowed; null if nothing has to be. */
  readonly allow: string | null;
  /** How many records it concerns; null if that is not known. */
  readonly records: number | null;
  /** The first records that do not fit. */
  readonly failing: readonly string[];
};

/** `from` is removed, and one of `to`, which are added, may be the same: fields of a collection, or without one, collections. */
export type Rename = { readonly collection: string | null; readonly from: string; readonly to: readonly string[] };

export type Plan = {
  readonly mistakes: readonly Mistake[];
  readonly steps: readonly Step[];
  readonly renames: readonly Rename[];
  /** A line for each of the first records that do not fit. */
  readonly violations: readonly string[];
};

export const path = '/api/v2/settings';

export function readSettings(signal?: AbortSignal): Promise<Settings> {
  return receive({ path, ...(signal === undefined ? {} : { signal }) }, settingsIn);
}

/** Changes nothing. */
export async function planFor(text: string, signal: AbortSignal): Promise<Plan> {
  const sent = { method: 'POST', path: `${path}/plan`, headers: { 'Content-Type': 'application/json' } } as const;
  return plain(await send({ ...sent, body: JSON.stringify({ text }), signal })) as Plan;
}

export function application(text: string, allow: readonly string[], etag: string): Request & { readonly body: string } {
  const headers = { 'Content-Type': 'application/json', 'If-Match': etag };
  return { method: 'PUT', path, headers, body: JSON.stringify({ text, allow }) };
}

/** Throws a ShelfError: status 412 if the file was changed meanwhile. */
export function applySettings(text: string, allow: readonly string[], etag: string): Promise<Settings> {
  return receive(application(text, allow, etag), settingsIn);
}

async function settingsIn(response: Response): Promise<Settings> {
  const settings = plain(await response.text()) as Omit<Settings, 'etag'>;
  return { ...settings, etag: response.headers.get('ETag') ?? '' };
}
