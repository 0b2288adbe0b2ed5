/** Keys, each with what it may do and when it was last used. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { keyOfTab } from '../../api/client.ts';
import { type ApiKey, type Claims, listing, revokeKey } from '../../api/keys.ts';
import { messageOf } from '../../api/problem.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Moment } from '../../parts/values/moment.tsx';
import { notify } from '../../state/notices.ts';
import { keyName } from '../../state/session.ts';

export type KeyListProps = {
  readonly label: string;
  readonly keys: readonly ApiKey[];
  readonly onChanged: () => void;
};

export function KeyList({ label, keys, onChanged }: KeyListProps) {
  const [asked, ask] = useState<ApiKey | undefined>();
  return (
    <>
      <ul class="key-list plain-list card" aria-label={label}>
        {keys.map((key) => (
          <Key key={key.id} of={key} onRevoke={() => ask(key)} />
        ))}
      </ul>
      {asked === undefined ? null : <Revocation of={asked} onRevoked={onChanged} onClose={() => ask(undefined)} />}
    </>
  );
}

function Key({ of: key, onRevoke }: { readonly of: ApiKey; readonly onRevoke: () => void }) {
  const { name, scope, collections, role, claims, state } = key;
  return (
    <li>
      <div class="key-name">
        <b>{name}</b>
        {isOwn(key) ? <span class="key-own">you use this one</span> : null}
        <span class="soft">
          <code>{key.id}</code>
        </span>
      </div>
      {role === null ? (
        <Fact name="Scope">
          {scope}: {collections === null ? 'all collections' : collections.join(', ')}
        </Fact>
      ) : (
        <Fact name="Role">
          {role} {claimsText(claims ?? {})}
        </Fact>
      )}
      <Fact name="Last used">{key.last_used_at === null ? 'never' : <Moment at={key.last_used_at} />}</Fact>
      <Fact name="Created">
        <Moment at={key.created_at} />
      </Fact>
      {key.revoked_at === null ? (
        <Fact name={state === 'expired' ? 'Expired' : 'Expires'}>
          {key.expires_at === null ? 'never' : <Moment at={key.expires_at} />}
        </Fact>
      ) : (
        <Fact name="Revoked">
          <Moment at={key.revoked_at} />
        </Fact>
      )}
      {state === 'revoked' ? null : (
        <Button kind="danger" label={`Revoke ${name}`} onPress={onRevoke}>
          Revoke
        </Button>
      )}
    </li>
  );
}

function claimsText(claims: Claims): string {
  return Object.entries(claims)
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
    .join(' ');
}

/** No other active key has its name. A token may have the same one, and does not begin like a key. */
function isOwn({ name, state }: ApiKey): boolean {
  return state === 'active' && name === keyName() && keyOfTab.get()?.startsWith('shelf_') === true;
}

function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <div class="fact">
      <span class="soft">{name}</span>
      <span>{children}</span>
    </div>
  );
}

type RevocationProps = { readonly of: ApiKey; readonly onRevoked: () => void; readonly onClose: () => void };

function Revocation({ of: key, onRevoked, onClose }: RevocationProps) {
  const { id, name } = key;
  async function revoke(): Promise<void> {
    try {
      await revokeKey(id);
      notify({ kind: 'good', text: `The key ${name} is revoked.` });
      onRevoked();
    } catch (error) {
      notify({ kind: 'bad', text: `The key ${name} is not revoked. ${messageOf(error)}` });
    }
    onClose();
  }
  return (
    <Dialog
      title={`Revoke ${name}?`}
      onClose={onClose}
      actions={
        <>
          <Button onPress={onClose}>Keep it</Button>
          <Button kind="danger" onPress={revoke}>
            Revoke the key
          </Button>
        </>
      }
    >
      <p>The next request with this key is refused. This cannot be undone: whoever uses it needs a new key.</p>
      {isOwn(key) ? <p>You are signed in with this key: you will be signed out.</p> : null}
      <p class="soft">
        DELETE {listing.path}/{id}
      </p>
    </Dialog>
  );
}
