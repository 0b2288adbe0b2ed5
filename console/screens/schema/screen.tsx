/** The Schema screen: the file is read, changed as a draft, and applied. */
import { useEffect } from 'preact/hooks';
import { AsCode } from '../../code/as-code.tsx';
import { curlOf } from '../../code/curl.ts';
import { fetchProgram } from '../../code/fetch-program.ts';
import { begin, type Draft, draft, isChanged } from '../../schema/draft.ts';
import { application, path, readSettings } from '../../schema/settings.ts';
import { useLoaded } from '../../state/loaded.ts';
import type { OpenSession } from '../../state/session.ts';
import { Workbench } from './workbench.tsx';

export function Screen({ session: { me } }: { readonly session: OpenSession }) {
  const loaded = useLoaded(readSettings, []).value;
  useEffect(() => {
    if (loaded.kind === 'here' && (draft.value === undefined || !isChanged(draft.value))) begin(loaded.value);
  }, [loaded]);
  const current = draft.value;
  return (
    <>
      <div class="screen-head">
        <h1>Schema</h1>
        <AsCode code={() => codeOf(current, me.auth !== 'off')} />
      </div>
      {current !== undefined ? (
        <Workbench draft={current} />
      ) : loaded.kind === 'failed' ? (
        <p class="plain-screen" role="alert">
          {loaded.why}
        </p>
      ) : (
        <p class="plain-screen soft">Reading the declarations …</p>
      )}
    </>
  );
}

function codeOf(current: Draft | undefined, withKey: boolean) {
  const request =
    current === undefined || !isChanged(current)
      ? { path }
      : application(current.text, [...current.allowed], current.base.etag);
  return { curl: curlOf(request, withKey), typescript: fetchProgram(request, withKey) };
}
