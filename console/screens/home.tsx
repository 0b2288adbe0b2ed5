/** The first screen: the collections, what happened in the last hour, and what to do next. */
import { countPath } from '../api/count.ts';
import { curlOf } from '../api/curl.ts';
import type { Collection } from '../api/declarations.ts';
import { programOf } from '../api/typescript.ts';
import { AsCode } from '../parts/as-code.tsx';
import { session } from '../state/session.ts';
import './home.css';
import { Glance } from './home/glance.tsx';
import { NextSteps } from './home/next-steps.tsx';
import { Shelves } from './home/shelves.tsx';

export function Home() {
  const current = session.value;
  if (current.kind !== 'open') return null;
  const { collections, me } = current;
  return (
    <>
      <div class="screen-head">
        <h1>Home</h1>
        <AsCode code={() => codeOf(collections, me.name !== null)} />
      </div>
      <div class="plain-screen home">
        <Shelves collections={collections} />
        <Glance />
        <NextSteps collections={collections} withKey={me.auth !== 'off'} />
      </div>
    </>
  );
}

/** The counts. */
function codeOf(collections: readonly Collection[], withKey: boolean) {
  const counts = collections.map(({ name }) => `console.log('${name}', await shelf.${name}.count());`);
  const commands = collections.map(({ name }) => curlOf({ path: countPath(name) }, withKey));
  return { curl: commands.join('\n'), typescript: programOf(counts.join('\n'), withKey) };
}
