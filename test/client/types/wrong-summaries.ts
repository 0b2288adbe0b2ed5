/** Summaries that must not compile. */
import { createClient, type HavingOf } from 'shelf-client';
import type { Shelf } from '../shelf.d.ts';

const shelf = createClient<Shelf>({ url: 'http://127.0.0.1:8000', key: undefined });

export async function names(): Promise<void> {
  // @ts-expect-error there is no such field
  await shelf.books.summary({ group: ['colour'] });
  // @ts-expect-error a list makes no groups
  await shelf.books.summary({ group: ['tags'] });
  // @ts-expect-error a day has no hours
  await shelf.books.summary({ group: ['published_on.hour'] });
  // @ts-expect-error a text has no year
  await shelf.books.summary({ group: ['title.year'] });
  // @ts-expect-error there is no such part
  await shelf.books.summary({ group: ['seen_at.minute'] });
  // @ts-expect-error a measure is no group
  await shelf.books.summary({ group: ['price.sum'] });
  // @ts-expect-error a path is no group
  await shelf.books.summary({ group: ['author.name'] });
  // @ts-expect-error a text has no sum
  await shelf.books.summary({ measures: ['title.sum'] });
  // @ts-expect-error a choice has no least value
  await shelf.books.summary({ measures: ['state.min'] });
  // @ts-expect-error JSON has no different values
  await shelf.books.summary({ measures: ['meta.distinct'] });
  // @ts-expect-error there is no such measure
  await shelf.books.summary({ measures: ['price.median'] });
  // @ts-expect-error a field is no measure
  await shelf.books.summary({ measures: ['price'] });
  // @ts-expect-error a group is one of a list
  await shelf.books.summary({ group: 'state' });
}

export async function conditions(): Promise<void> {
  // @ts-expect-error it is not sorted by what is not asked for
  await shelf.books.summary({ group: ['state'], sort: ['author'] });
  // @ts-expect-error it is not asked for
  await shelf.books.summary({ measures: ['count'], having: { 'price.sum': '1' } });
  // @ts-expect-error a group is no measure
  await shelf.books.summary({ group: ['state'], having: { state: 'draft' } });
  // @ts-expect-error a sum of decimals is text
  await shelf.books.summary({ measures: ['price.sum'], having: { 'price.sum': { gt: 5 } } });
  // @ts-expect-error a sum of integers is a bigint
  await shelf.books.summary({ measures: ['pages.sum'], having: { 'pages.sum': { gt: 5 } } });
  // @ts-expect-error an average of integers is text
  await shelf.books.summary({ measures: ['pages.avg'], having: { 'pages.avg': { gt: 5n } } });
  // @ts-expect-error a count is a number
  await shelf.books.summary({ having: { count: 2n } });
  // @ts-expect-error a count is never null
  await shelf.books.summary({ having: { count: { is: 'null' } } });
  // @ts-expect-error it is compared with what is asked for
  await shelf.books.summary({ measures: ['price.min'], having: { 'price.min': { lt: { field: 'price.max' } } } });
  // @ts-expect-error there is no such field
  await shelf.books.summary({ where: { colour: 'red' } });
  // @ts-expect-error a summary has no pages
  await shelf.books.summary({ cursor: 'x' });
}

export async function rows(): Promise<void> {
  const { data } = await shelf.books.summary({ group: ['published_on.year'], measures: ['price.sum'] });
  const [row] = data;
  if (row === undefined) return;
  // @ts-expect-error it was not asked for
  row.count;
  // @ts-expect-error null is a group
  row['published_on.year'] satisfies number;
  // @ts-expect-error the sum of nothing is null
  row['price.sum'] satisfies string;
  // @ts-expect-error a sum of decimals is text
  row['price.sum'] satisfies number | null;
}

// @ts-expect-error a sum of decimals is text
export const having: HavingOf<Shelf, 'books', 'price.sum'> = { not: { 'price.sum': { lt: 5 } } };
