/** One request as its client saw it, with its times and its outcome. */

export type CollectionName = 'items' | 'users';

/** A record to create. `name` is unique in a run, so that a change in the feed identifies its request. */
export type Draft = { readonly name: string; readonly price?: number; readonly external?: number };

export type Write =
  /** One record, or a bulk of several. */
  | { readonly kind: 'create'; readonly collection: CollectionName; readonly drafts: readonly Draft[] }
  | {
      readonly kind: 'update';
      readonly collection: CollectionName;
      readonly id: number;
      readonly name: string;
      readonly price?: number;
      readonly external?: number;
      readonly ifMatch?: number;
    }
  | {
      readonly kind: 'delete';
      readonly collection: CollectionName;
      readonly id: number;
      readonly ifMatch?: number;
    }
  /** The contract's DELETE: the first record with this id. */
  | { readonly kind: 'remove'; readonly collection: CollectionName; readonly external: number };

export type Read =
  | { readonly kind: 'record'; readonly collection: CollectionName; readonly id: number }
  /** Only the ETag, from HEAD or 304. */
  | { readonly kind: 'version'; readonly collection: CollectionName; readonly id: number }
  /** The contract's GET: the first record with this id. */
  | { readonly kind: 'first'; readonly collection: CollectionName; readonly external: number }
  /** The contract's list. */
  | { readonly kind: 'list'; readonly collection: CollectionName }
  | {
      readonly kind: 'page';
      readonly collection: CollectionName;
      /** The last id of the previous page. */
      readonly after?: number;
      readonly limit: number;
      readonly descending?: true;
      readonly external?: number;
    }
  | { readonly kind: 'total'; readonly collection: CollectionName }
  | {
      readonly kind: 'feed';
      readonly after: number;
      readonly limit: number;
      readonly collection?: CollectionName;
    }
  /** An event of the live feed has arrived. */
  | { readonly kind: 'event'; readonly changeNumber: number };

export type Request = Write | Read;

export type Outcome =
  /** `shown` is the answer in the form that answer.ts defines for this kind of request. */
  | { readonly kind: 'ok'; readonly shown: readonly string[]; readonly replayed?: true }
  /** 404 */
  | { readonly kind: 'missing' }
  /** 412 */
  | { readonly kind: 'conflict' }
  /** The server answered that nothing was changed, or the request was never sent. */
  | { readonly kind: 'failed'; readonly why: string }
  /** The connection was lost, or the server answered that the outcome is unknown. */
  | { readonly kind: 'unknown'; readonly why: string };

export type Operation = {
  readonly number: number;
  readonly client: string;
  /** Method and path, for messages. */
  readonly door: string;
  /** Milliseconds on the clock of the test process. */
  readonly invoked: number;
  readonly answered: number;
  readonly request: Request;
  readonly outcome: Outcome;
};

const maxLength = 240;

/** Enough to find it in the recorded history and to understand a complaint. */
export function describe({ number, client, door, invoked, answered, request, outcome }: Operation): string {
  const { kind, ...asked } = request;
  const what = kind === 'event' ? '' : ` ${short(JSON.stringify(asked))}`;
  const { kind: result, ...rest } = outcome;
  const answer = `${result}${Object.keys(rest).length === 0 ? '' : ` ${short(JSON.stringify(rest))}`}`;
  return `#${number} (${client}, ${door}, ${invoked.toFixed(2)} to ${answered.toFixed(2)} ms)${what} -> ${answer}`;
}

function short(text: string): string {
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
}

export function isWrite(request: Request): request is Write {
  return ['create', 'update', 'delete', 'remove'].includes(request.kind);
}
