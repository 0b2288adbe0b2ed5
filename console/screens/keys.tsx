/** API keys: who may use the service, and when each key was last used. */
import { useState } from 'preact/hooks';
import { listing, listKeys, listRoles } from '../api/keys.ts';
import { AsCode, Snippet } from '../code/as-code.tsx';
import { firstKeyCommands } from '../code/commands.ts';
import { curlOf } from '../code/curl.ts';
import { fetchProgram } from '../code/fetch-program.ts';
import { Button } from '../parts/button.tsx';
import { useLoaded } from '../state/loaded.ts';
import { type OpenSession, refusal } from '../state/session.ts';
import './keys.css';
import { KeyList } from './keys/key-list.tsx';
import { NewKey } from './keys/new-key.tsx';
import { SeeAsRole } from './keys/see-as-role.tsx';

export function Keys({ session: { me, collections } }: { readonly session: OpenSession }) {
  const [isNew, setNew] = useState(false);
  const [changes, setChanges] = useState(0);
  const { auth } = me;
  const refused = auth === 'off' ? 'This server asks for no keys.' : refusal('admin');
  // Without them, keys with a scope can be made.
  const loaded = useLoaded(refused === undefined ? listRoles : async () => [], [refused]).value;
  const roles = loaded.kind === 'here' ? loaded.value : [];
  return (
    <>
      <div class="screen-head">
        <h1>Keys</h1>
        <AsCode code={() => ({ curl: curlOf(listing, true), typescript: fetchProgram(listing, true) })} />
        <Button icon="plus" kind="main" refused={refused} onPress={() => setNew(true)}>
          New key
        </Button>
      </div>
      <div class="plain-screen keys">
        {auth === 'off' ? (
          <WithoutAuth />
        ) : refused === undefined ? (
          <>
            <All changes={changes} onChanged={() => setChanges(changes + 1)} />
            {roles.length === 0 ? null : <SeeAsRole roles={roles} />}
          </>
        ) : (
          <p>Keys are not shown. {refused}</p>
        )}
      </div>
      {isNew ? (
        <NewKey
          collections={collections.map(({ name }) => name)}
          roles={roles}
          isOpenToRead={auth === 'write'}
          onCreated={() => setChanges(changes + 1)}
          onClose={() => setNew(false)}
        />
      ) : null}
    </>
  );
}

type AllProps = { readonly changes: number; readonly onChanged: () => void };

function All({ changes, onChanged }: AllProps) {
  const keys = useLoaded(listKeys, [changes], 30_000).value;
  if (keys.kind === 'waiting') return <p class="soft">Reading the keys …</p>;
  if (keys.kind === 'failed') return <p role="alert">{keys.why}</p>;
  const isActive = ({ state }: { readonly state: string }) => state === 'active';
  const active = keys.value.filter(isActive);
  const inactive = keys.value.filter((key) => !isActive(key));
  return (
    <>
      {active.length === 0 ? (
        <p>No active keys.</p>
      ) : (
        <KeyList label="Active keys" keys={active} onChanged={onChanged} />
      )}
      {inactive.length === 0 ? null : (
        <details>
          <summary>{inactive.length} revoked or expired</summary>
          <KeyList label="Revoked and expired keys" keys={inactive} onChanged={onChanged} />
        </details>
      )}
    </>
  );
}

function WithoutAuth() {
  return (
    <>
      <h2>There are no keys here</h2>
      <p>
        This server was started with <code>--auth off</code>: it asks for no keys, so it does not administer them. A key
        that anybody can make would still count after keys are asked for.
      </p>
      <p>
        Make a first key with the scope admin, start the server with <code>--auth write</code> (keys for changes) or{' '}
        <code>--auth all</code> (keys for everything), and sign in here with the key.
      </p>
      <Snippet title="Make a first key" text={firstKeyCommands()} />
    </>
  );
}
