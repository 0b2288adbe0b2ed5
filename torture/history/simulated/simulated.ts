/** A small correct store for the tests of the checker. It shares no code with the checker's own model. */
import { type ChangeBody, digestOf, type RecordBody } from '../check/change.ts';
import type { CollectionName, Draft, Outcome, Read, Request } from '../clients/operation.ts';

const singular = { items: 'item', users: 'user' };

export class SimulatedStore {
  readonly records: Record<CollectionName, RecordBody[]> = { items: [], users: [] };
  readonly changes: ChangeBody[] = [];
  /** The records of each create, by the name of the first. */
  readonly #made = new Map<string, readonly RecordBody[]>();
  readonly #lastId = { items: 0, users: 0 };

  get last(): number {
    return this.changes.at(-1)?.seq ?? 0;
  }

  /** `plain` answers a create as the contract does. */
  perform(request: Request, plain: boolean): Outcome {
    switch (request.kind) {
      case 'create': {
        const before = this.#made.get(request.drafts[0]?.name ?? '');
        if (before !== undefined) return { kind: 'ok', shown: [createdText(before, false)], replayed: true };
        const made = request.drafts.map((draft) => this.#create(request.collection, draft));
        this.#made.set(request.drafts[0]?.name ?? '', made);
        return { kind: 'ok', shown: [createdText(made, plain)] };
      }
      case 'update': {
        const found = this.#target(request);
        if (typeof found === 'string') return { kind: found };
        const { name, price = found.price, external = found.external_id } = request;
        const fields = price === undefined ? {} : { price };
        const next = { ...found, external_id: external, name, ...fields, version: found.version + 1 };
        this.records[request.collection] = this.records[request.collection].map((one) => (one === found ? next : one));
        this.#log(request.collection, 'updated', next);
        return { kind: 'ok', shown: [JSON.stringify(next)] };
      }
      case 'delete': {
        const found = this.#target(request);
        if (typeof found === 'string') return { kind: found };
        this.#remove(request.collection, found);
        return { kind: 'ok', shown: [] };
      }
      case 'remove': {
        const found = this.records[request.collection].find(({ external_id }) => external_id === request.external);
        if (found === undefined) return { kind: 'missing' };
        this.#remove(request.collection, found);
        return { kind: 'ok', shown: [] };
      }
      default:
        return this.#read(request);
    }
  }

  #read(request: Read): Outcome {
    if (request.kind === 'event') return { kind: 'ok', shown: [] };
    if (request.kind === 'feed') {
      const later = this.changes.filter(
        ({ seq: changeNumber, type }) =>
          changeNumber > request.after &&
          (request.collection === undefined || type.startsWith(`${singular[request.collection]}.`)),
      );
      const shown = later.slice(0, request.limit);
      const last = later.length > shown.length ? shown.at(-1)?.seq : this.last;
      return { kind: 'ok', shown: [...shown.map(digestOf), `last ${last}`] };
    }
    const records = this.records[request.collection];
    if (request.kind === 'list') return { kind: 'ok', shown: records.map(plainText) };
    if (request.kind === 'total') return { kind: 'ok', shown: [`${records.length}`] };
    if (request.kind === 'page') {
      const { after, limit, descending, external } = request;
      let rest = descending ? [...records].reverse() : records;
      if (after !== undefined) rest = rest.filter(({ id }) => (descending ? id < after : id > after));
      if (external !== undefined) rest = rest.filter(({ external_id }) => external_id === external);
      const shown = rest.slice(0, limit).map((record) => JSON.stringify(record));
      return { kind: 'ok', shown: [...shown, rest.length > limit ? 'more' : 'end'] };
    }
    const found = records.find((record) =>
      request.kind === 'first' ? record.external_id === request.external : record.id === request.id,
    );
    if (found === undefined) return { kind: 'missing' };
    if (request.kind === 'first') return { kind: 'ok', shown: [plainText(found)] };
    return { kind: 'ok', shown: [request.kind === 'version' ? `${found.version}` : JSON.stringify(found)] };
  }

  #target(request: {
    readonly collection: CollectionName;
    readonly id: number;
    readonly ifMatch?: number;
  }): RecordBody | 'missing' | 'conflict' {
    const found = this.records[request.collection].find(({ id }) => id === request.id);
    if (found === undefined) return 'missing';
    return request.ifMatch === undefined || request.ifMatch === found.version ? found : 'conflict';
  }

  #create(collection: CollectionName, { name, price, external }: Draft): RecordBody {
    const id = ++this.#lastId[collection];
    const fields = price === undefined ? {} : { price };
    const record = { id, external_id: external ?? id, name, ...fields, version: 1 };
    this.records[collection].push(record);
    this.#log(collection, 'created', record);
    return record;
  }

  #remove(collection: CollectionName, record: RecordBody): void {
    this.records[collection] = this.records[collection].filter((one) => one !== record);
    this.#log(collection, 'deleted', record);
  }

  /** Sequence numbers increase, with gaps. */
  #log(collection: CollectionName, type: string, record: RecordBody): void {
    this.changes.push({ seq: this.last + 1 + (record.id % 3), type: `${singular[collection]}.${type}`, record });
  }
}

function plainText({ external_id, name, price }: RecordBody): string {
  return JSON.stringify(price === undefined ? { id: external_id, name } : { id: external_id, name, price });
}

function createdText(made: readonly RecordBody[], plain: boolean): string {
  const [first] = made;
  if (first === undefined) return '';
  if (made.length > 1) return `${made.length} from ${first.id} to ${made.at(-1)?.id}`;
  return plain ? plainText(first) : JSON.stringify(first);
}
