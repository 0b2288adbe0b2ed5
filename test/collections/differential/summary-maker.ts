/** Random summaries. */

import { Maker } from './maker.ts';
import type { Model } from './model.ts';
import { groupNames, measuredRows, measureNames, named, type SummaryQuery } from './summary-model.ts';

/** In a URL there is room for about as much. */
const longest = 3000;

export class SummaryMaker {
  constructor(
    readonly maker: Maker,
    readonly model: Model,
  ) {}

  summary(name: string): { readonly query: SummaryQuery; readonly having: string | undefined } {
    const { random } = this.maker;
    const { filters, where } = this.maker.query(name, []);
    const some = (names: readonly string[], counts: readonly number[]) =>
      random.shuffled(names).slice(0, random.pick(counts));
    const groups = some(groupNames(this.model, name), [0, 1, 1, 1, 2, 2, 3, 4, 5]);
    const measures = some(measureNames(this.model, name), [1, 2, 3, 5, 10, 10]);
    if (random.chance(0.03)) groups.push(random.pick([...groups, 'nothing', 'id.year', 'id.sum', 'version.']));
    if (random.chance(0.03)) measures.push(random.pick([...measures, 'nothing.sum', 'id.median', 'id', 'count.sum']));
    const names = [...groups, ...measures];
    const sort = some(random.chance(0.02) ? [...names, 'id.min'] : names, [0, 1, 2]).map(
      (one) => `${random.pick(['', '-'])}${one}`,
    );
    const isShort = (where?.length ?? 0) < longest / 2;
    const query: SummaryQuery = {
      filters: random.chance(0.3) ? filters : [],
      where: isShort && random.chance(0.5) ? where : undefined,
      groups,
      measures,
      sort,
      limit: random.pick([undefined, undefined, 1, 2, 10_000]),
    };
    return { query, having: random.chance(0.4) ? this.#having(name, query) : undefined };
  }

  #having(name: string, query: SummaryQuery): string | undefined {
    const measured = measuredRows(this.model, name, query);
    if (measured === undefined) return undefined;
    const having = named(new Maker(this.maker.random, this.maker.extras, measured).where('measures'));
    return encodeURIComponent(having).length < longest ? having : undefined;
  }
}
