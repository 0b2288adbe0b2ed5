/** What can be found without asking the server: collections, screens, views and actions. */

import { tools } from '../screens/tools.ts';
import { address, go, hrefOf } from '../state/address.ts';
import { finding } from '../state/finding.ts';
import { leave, type OpenSession, refusal } from '../state/session.ts';
import { toggleDensity, viewsOf } from '../state/views.ts';

export type Entry = { readonly key: string; readonly title: string; readonly kind: string; run(): void };

function link(kind: string, title: string, href: string): Entry {
  return { key: `${kind} ${href}`, title, kind, run: () => go(href) };
}

const action = (title: string, run: () => void): Entry => ({ key: title, title, kind: 'action', run });

export function entriesOf({ collections, me }: OpenSession): readonly Entry[] {
  const here = address.value.path[0];
  // The collection of the screen comes first.
  const ordered = [...collections].sort((one, other) => Number(other.name === here) - Number(one.name === here));
  const views = ordered.flatMap(({ name }) =>
    viewsOf(name).value.map((view) => link('view', `${view.name} (${name})`, hrefOf([name], view.search))),
  );
  const news = ordered
    .filter(({ name }) => refusal('write', name, 'create') === undefined)
    .map(({ name, singular }) => link('action', `New ${singular}`, hrefOf([name, 'new'])));
  return [
    ...ordered.map(({ name, title }) => link('collection', title ?? name, hrefOf([name]))),
    ...views,
    link('screen', 'Home', hrefOf([])),
    ...tools().map(({ name, title }) => link('screen', title, hrefOf(['-', name]))),
    ...ordered.map(({ name, title }) => link('screen', `Summary of ${title ?? name}`, hrefOf([name, 'summary']))),
    ...news,
    action('Compact or comfortable rows', toggleDensity),
    action('Keys of this screen', () => {
      finding.value = 'keys';
    }),
    ...(me.auth !== 'off' && me.name !== null ? [action('Sign out', () => leave())] : []),
  ];
}

/** Each word occurs in the title, in any case. */
export function matching(entries: readonly Entry[], words: string): readonly Entry[] {
  const all = words.toLowerCase().split(/\s+/);
  return entries.filter(({ title }) => all.every((word) => title.toLowerCase().includes(word)));
}
