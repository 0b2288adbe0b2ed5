/** The changes of all collections as they happen. */
import { useEffect, useMemo } from 'preact/hooks';
import { grouped } from '../api/count.ts';
import type { Collection } from '../api/declarations.ts';
import { AsCode, type Code } from '../code/as-code.tsx';
import { curlOf } from '../code/curl.ts';
import { programOf } from '../code/typescript.ts';
import { Button } from '../parts/button.tsx';
import { FeedLight, feedWords } from '../parts/feed-light.tsx';
import { address, go, hrefOf } from '../state/address.ts';
import type { OpenSession } from '../state/session.ts';
import { EntryLine } from './live/entry-line.tsx';
import { type Filter, Following } from './live/following.ts';
import { mostShown } from './live/recent.ts';
import './live.css';

const kinds = ['created', 'updated', 'deleted'];

export function Live({ session: { collections, me } }: { readonly session: OpenSession }) {
  const { search } = address.value;
  const filter = filterOf(search, collections, me.collections !== null);
  const withKey = me.name !== null;
  return (
    <>
      <div class="screen-head">
        <h1>Live</h1>
        <AsCode code={() => codeOf(filter, collections, withKey)} />
      </div>
      <Filters filter={filter} collections={collections} hasAll={me.collections === null} />
      <Changes key={search} filter={filter} collections={collections} />
    </>
  );
}

/** A key that is limited to some collections follows one at a time. */
function filterOf(search: string, collections: readonly Collection[], isLimited: boolean): Filter {
  const parameters = new URLSearchParams(search);
  const asked = collections.find(({ name }) => name === parameters.get('collection'))?.name;
  const chosen = parameters.get('type')?.split(',') ?? [];
  return {
    collection: asked ?? (isLimited ? collections[0]?.name : undefined),
    kinds: kinds.filter((kind) => chosen.includes(kind)),
  };
}

function choose({ collection, kinds: chosen }: Filter): void {
  const parameters = new URLSearchParams();
  if (collection !== undefined) parameters.set('collection', collection);
  if (chosen.length > 0 && chosen.length < kinds.length) parameters.set('type', chosen.join());
  go(hrefOf(['-', 'live'], parameters.toString().replaceAll('%2C', ',')), 'replace');
}

type FiltersProps = {
  readonly filter: Filter;
  readonly collections: readonly Collection[];
  readonly hasAll: boolean;
};

function Filters({ filter, collections, hasAll }: FiltersProps) {
  const chosen = filter.kinds.length === 0 ? kinds : filter.kinds;
  return (
    <div class="live-filters">
      <label>
        Collection
        <select
          class="input"
          value={filter.collection ?? ''}
          onChange={({ currentTarget: { value } }) =>
            choose({ ...filter, collection: value === '' ? undefined : value })
          }
        >
          {hasAll ? <option value="">All</option> : null}
          {collections.map(({ name, title }) => (
            <option key={name} value={name}>
              {title ?? name}
            </option>
          ))}
        </select>
      </label>
      <fieldset>
        <legend class="unseen">Changes</legend>
        {kinds.map((kind) => (
          <label key={kind}>
            <input
              type="checkbox"
              checked={chosen.includes(kind)}
              onChange={({ currentTarget: { checked } }) =>
                choose({ ...filter, kinds: kinds.filter((one) => (one === kind ? checked : chosen.includes(one))) })
              }
            />
            {kind}
          </label>
        ))}
      </fieldset>
    </div>
  );
}

function Changes({ filter, collections }: { readonly filter: Filter; readonly collections: readonly Collection[] }) {
  const following = useMemo(() => new Following(filter), []);
  useEffect(() => () => following.close(), []);
  const { entries, count } = following.shown.value;
  const waiting = following.waiting.value;
  const state = following.state.value;
  return (
    <div class="live">
      <div class="live-bar">
        {waiting === undefined ? (
          <Button icon="pause" onPress={() => following.pause()}>
            Pause
          </Button>
        ) : (
          <Button icon="play" kind="main" onPress={() => following.goOn()}>
            Go on
          </Button>
        )}
        <FeedLight isOn={state === 'live' && waiting === undefined}>
          {waiting === undefined ? feedWords[state] : 'Paused'}
        </FeedLight>
        <span class="soft">{wordsOf(count, waiting)}</span>
      </div>
      {following.hasGap.value ? (
        <p class="live-gap">Some changes were missed: the server no longer has them, or the database was restored.</p>
      ) : null}
      {entries.length === 0 ? (
        <p class="soft">The next change appears here, whoever makes it.</p>
      ) : (
        <ol class="plain-list" aria-label="Changes, the newest first">
          {entries.map((entry) => (
            <EntryLine key={entry.seq} entry={entry} collections={collections} />
          ))}
        </ol>
      )}
    </div>
  );
}

function wordsOf(count: number, waiting: number | undefined): string {
  const all = `${grouped(String(count))} ${count === 1 ? 'change' : 'changes'} since you came`;
  const shown = count > mostShown ? `${all}, the newest ${mostShown} are shown` : all;
  return waiting === undefined ? shown : `${shown}; ${grouped(String(waiting))} more wait`;
}

/** The API selects by collection; the rest selects by type. */
function codeOf({ collection, kinds: chosen }: Filter, collections: readonly Collection[], withKey: boolean): Code {
  const path = `/api/v2/events${collection === undefined ? '' : `?collection=${collection}`}`;
  const command = curlOf({ path }, withKey).replace('curl', 'curl -N');
  const singular = collections.find(({ name }) => name === collection)?.singular;
  const from = collection === undefined ? 'shelf' : `shelf.${collection}`;
  const test = chosen.map((kind) =>
    singular === undefined ? `change.type.endsWith('.${kind}')` : `change.type === '${singular}.${kind}'`,
  );
  const body = [
    `for await (const change of ${from}.changes()) {`,
    "  if (change.type === 'resync') continue; // changes from now on follow",
    `  ${test.length === 0 ? '' : `if (${test.join(' || ')}) `}console.log(change.seq, change.type, change.record);`,
    '}',
  ];
  return {
    curl: chosen.length === 0 ? command : `${command} | grep -A 1 -E '^event: .*[.](${chosen.join('|')})'`,
    typescript: programOf(body.join('\n'), withKey),
  };
}
