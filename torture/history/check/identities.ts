/** Finds the record of an operation, as far as the answers show it: v2 and the contract use different ids. */

import type { Operation, Outcome, Request } from '../clients/operation.ts';
import type { RecordBody } from './change.ts';

/** Undefined if the text is not a record of v2. */
export function bodyOf(text: string | undefined): RecordBody | undefined {
  if (text === undefined || !text.includes('"version":')) return undefined;
  return JSON.parse(text) as RecordBody;
}

/** Every key is a collection, followed by a name, an external id or an id. */
export class Identities {
  readonly #idByName = new Map<string, number>();
  readonly #idByExternal = new Map<string, number>();
  /** All external ids that a record has had. */
  readonly #externalsById = new Map<string, Set<string>>();
  /** External ids that may belong to different records at different times. */
  readonly #shared = new Set<string>();
  readonly #nameByExternal = new Map<string, string>();

  constructor(operations: readonly Operation[]) {
    const read = new Set<string>();
    for (const { request, outcome } of operations) {
      if (!('collection' in request) || request.collection === undefined) continue;
      this.#ask(request);
      const bulk = bulkOf(outcome);
      if (request.kind === 'create' && bulk !== undefined) this.#learnBulk(request, bulk);
      for (const text of outcome.kind === 'ok' ? outcome.shown : []) {
        if (read.has(text)) continue;
        read.add(text);
        const body = bodyOf(text);
        if (body !== undefined) this.#learn(request.collection, body);
      }
    }
  }

  /** The record that a request created; `index` counts the lines of a bulk. */
  created({ request, outcome }: Operation, index: number): string | undefined {
    if (request.kind !== 'create') return undefined;
    const { collection, drafts } = request;
    const { name, external } = drafts[index] ?? { name: '' };
    const bulk = bulkOf(outcome);
    if (bulk !== undefined) return `${collection} ${bulk + index}`;
    const id = this.#idByName.get(`${collection} ${name}`);
    if (id !== undefined) return `${collection} ${id}`;
    return external === undefined ? undefined : this.#owner(collection, external);
  }

  /** The record of a request; undefined if it may be one of several, or its id is not known. */
  of(request: Request): string | undefined {
    if (request.kind === 'first' || request.kind === 'remove') return this.#owner(request.collection, request.external);
    return 'id' in request ? `${request.collection} ${request.id}` : undefined;
  }

  /** The external ids by which the contract may have reached a record. */
  externals(record: string): ReadonlySet<string> {
    return this.#externalsById.get(record) ?? new Set();
  }

  #owner(collection: string, external: number): string | undefined {
    const key = `${collection} ${external}`;
    const id = this.#idByExternal.get(key);
    // A record that was created without an external id gets its id, which another create may have requested.
    const coincides = id === external && this.#nameByExternal.has(key);
    return id === undefined || coincides || this.#shared.has(key) ? undefined : `${collection} ${id}`;
  }

  #ask(request: Request): void {
    if (request.kind === 'update' && request.external !== undefined) {
      const external = `${request.collection} ${request.external}`;
      this.#shared.add(external);
      this.#have(`${request.collection} ${request.id}`, external);
    }
    if (request.kind !== 'create') return;
    for (const { name, external } of request.drafts) {
      if (external === undefined) continue;
      const key = `${request.collection} ${external}`;
      if ((this.#nameByExternal.get(key) ?? name) !== name) this.#shared.add(key);
      this.#nameByExternal.set(key, name);
    }
  }

  #learnBulk({ collection, drafts }: Extract<Request, { kind: 'create' }>, first: number): void {
    for (const [index, { name, external }] of drafts.entries()) {
      const id = first + index;
      this.#learn(collection, { id, external_id: external ?? id, name, version: 1 });
    }
  }

  #learn(collection: string, { id, external_id, name }: RecordBody): void {
    const external = `${collection} ${external_id}`;
    this.#idByName.set(`${collection} ${name}`, id);
    if ((this.#idByExternal.get(external) ?? id) !== id) this.#shared.add(external);
    this.#idByExternal.set(external, id);
    this.#have(`${collection} ${id}`, external);
  }

  #have(record: string, external: string): void {
    const all = this.#externalsById.get(record) ?? new Set<string>();
    this.#externalsById.set(record, all.add(external));
    if (all.size > 1) for (const one of all) this.#shared.add(one);
  }
}

/** The first id of a bulk. */
function bulkOf(outcome: Outcome): number | undefined {
  const first = outcome.kind === 'ok' ? /^\d+ from (\d+) to \d+$/.exec(outcome.shown[0] ?? '')?.[1] : undefined;
  return first === undefined ? undefined : Number(first);
}
