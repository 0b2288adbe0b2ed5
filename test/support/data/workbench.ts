/** Collections and records for the tests of the console's tables: with titles, choices, marks, lists, and references of each kind. */
import { declared } from './library.ts';

export const workbench = declared({
  authors: {
    singular: 'author',
    shown_as: 'name',
    fields: { code: { type: 'text', max: 8, search: true }, name: { type: 'text', max: 200 } },
  },
  books: {
    singular: 'book',
    fields: {
      title: { type: 'text', max: 200, search: true },
      author: { type: 'reference', to: 'authors', optional: true },
      state: { type: 'choice', of: ['draft', 'published'], default: 'draft' },
      in_stock: { type: 'boolean', default: true },
      price: { type: 'decimal', scale: 2, default: '1.00' },
      pages: { type: 'integer', min: 1, optional: true },
      tags: { type: 'list', of: 'text', default: [] },
      published_on: { type: 'date', optional: true },
      seen_at: { type: 'timestamp', optional: true },
      meta: { type: 'json', optional: true },
    },
  },
  loans: {
    singular: 'loan',
    fields: { book: { type: 'reference', to: 'books' }, note: { type: 'text', optional: true } },
  },
  copies: { singular: 'copy', fields: { label: { type: 'text', max: 40 } } },
});

export class Api {
  constructor(readonly url: string) {}

  async send(method: string, path: string, body?: object): Promise<{ readonly id: number }> {
    const headers = { 'Content-Type': 'application/json' };
    const answer = await fetch(`${this.url}/api/v2/${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(text);
    return text === '' ? { id: 0 } : JSON.parse(text);
  }

  async add(collection: string, record: object): Promise<number> {
    return (await this.send('POST', collection, record)).id;
  }

  async addMany(collection: string, records: readonly object[]): Promise<void> {
    const body = records.map((record) => JSON.stringify(record)).join('\n');
    const headers = { 'Content-Type': 'application/x-ndjson' };
    const answer = await fetch(`${this.url}/api/v2/${collection}/bulk`, { method: 'POST', headers, body });
    if (!answer.ok) throw new Error(await answer.text());
    await answer.text();
  }

  async count(search: string): Promise<number> {
    const answer = await fetch(`${this.url}/api/v2/${search}${search.includes('?') ? '&' : '?'}limit=1&count=exact`);
    return ((await answer.json()) as { total: number }).total;
  }
}
