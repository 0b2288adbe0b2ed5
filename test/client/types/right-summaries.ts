/** Summaries that have to compile. */
import { type AnyShelf, createClient, type GroupOf, type MeasureOf, type SummaryRow } from 'shelf-client';
import type { Shelf } from '../shelf.d.ts';

const shelf = createClient<Shelf>({ url: 'http://127.0.0.1:8000', key: undefined });

/** Whether two types are the same. */
type Same<One, Other> = (<T>() => T extends One ? 1 : 2) extends <T>() => T extends Other ? 1 : 2 ? true : false;

export async function rows(): Promise<void> {
  const counted = await shelf.books.summary();
  const one: Same<typeof counted, { data: { count: number }[]; groups: number }> = true;
  const { data } = await shelf.books.summary({
    group: ['state', 'author', 'in_stock', 'published_on'],
    measures: ['count', 'price.sum', 'price.avg', 'pages.sum', 'pages.avg', 'weight.sum', 'weight.avg', 'seen_at.max'],
  });
  const all: Same<
    (typeof data)[number],
    {
      state: 'draft' | 'published';
      author: number;
      in_stock: boolean;
      published_on: string | null;
      count: number;
      'price.sum': string | null;
      'price.avg': string | null;
      'pages.sum': bigint | null;
      'pages.avg': string | null;
      'weight.sum': number | null;
      'weight.avg': number | null;
      'seen_at.max': string | null;
    }
  > = true;
  const times = await shelf.books.summary({
    group: ['published_on.year', 'published_on.week', 'created_at.year', 'created_at.hour'],
    measures: ['title.min', 'pages.max', 'author.distinct', 'id.distinct'],
  });
  const ofTimes: Same<
    (typeof times.data)[number],
    {
      'published_on.year': number | null;
      'published_on.week': string | null;
      'created_at.year': number;
      'created_at.hour': string;
      'title.min': string | null;
      'pages.max': bigint | null;
      'author.distinct': number;
      'id.distinct': number;
    }
  > = true;
  const grouped = await shelf.books.summary({ group: ['follows'] });
  const nullable: Same<(typeof grouped.data)[number], { follows: number | null; count: number }> = true;
  void [one, all, ofTimes, nullable];
}

export async function options(): Promise<void> {
  await shelf.books.summary({
    group: ['state', 'seen_at.month'],
    measures: ['count', 'price.sum', 'pages.sum', 'published_on.min', 'published_on.max'],
    where: { price: { gte: '5' }, any: [{ 'author.name': 'Borges' }, { tags: { has: 'classic' } }] },
    having: {
      count: { gte: 2, in: [2, 3] },
      'price.sum': { gt: '100', is: 'set' },
      'published_on.min': { lt: { field: 'published_on.max' } },
      any: [{ 'pages.sum': { gte: 2n ** 70n } }, { not: { count: 7 } }],
    },
    sort: ['-price.sum', 'state', '-seen_at.month'],
    limit: 10,
    signal: AbortSignal.timeout(1000),
  });
  await shelf.authors.summary({ measures: ['born.min'], having: { 'born.min': { is: 'null' } } });
}

const group: GroupOf<Shelf, 'books'> = 'seen_at.quarter';
const measure: MeasureOf<Shelf, 'reviews'> = 'text.distinct';
export const row: SummaryRow<Shelf, 'items', 'name', 'price.avg'> = { name: 'Lamp', 'price.avg': 0.5 };
void [group, measure];

export async function untyped(): Promise<unknown> {
  const any = createClient<AnyShelf>({ url: '' });
  const { data } = (await any.books?.summary({ group: ['state', 'day.year'], measures: ['price.sum'] })) ?? {
    data: [],
  };
  return data[0]?.['price.sum'];
}
