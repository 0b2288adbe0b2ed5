/** The first screen: the collections, what happened in the last hour, and what to do next. */
import { countPath } from '../api/count.ts';
import type { Collection } from '../api/declarations.ts';
import { AsCode } from '../code/as-code.tsx';
import { curlOf } from '../code/curl.ts';
import { programOf } from '../code/typescript.ts';
import { type OpenSession, refusal } from '../state/session.ts';
import './home.css';
import { CollectionList } from './home/collection-list.tsx';
import { NextSteps } from './home/next-steps.tsx';
import { ServiceState } from './home/service-state.tsx';
import { FirstCollection } from './import/panels/first-collection.tsx';

export function Home({ session: { collections, me } }: { readonly session: OpenSession }) {
  return (
    <>
      <div class="screen-head">
        <h1>Home</h1>
        <AsCode code={() => codeOf(collections, me.name !== null)} />
      </div>
      <div class="plain-screen home">
        {collections.every(({ contract }) => contract) && refusal('admin') === undefined ? <FirstCollection /> : null}
        <CollectionList collections={collections} />
        <ServiceState />
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
