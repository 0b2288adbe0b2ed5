/** Makes a key, and shows it once. */
import { useState } from 'preact/hooks';
import { createKey, creation, type Grant, type Role, type Scope } from '../../api/keys.ts';
import { messageOf, ShelfError } from '../../api/problem.ts';
import { AsCode, Snippet } from '../../code/as-code.tsx';
import { curlOf } from '../../code/curl.ts';
import { fetchProgram } from '../../code/fetch-program.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { ChooseCollections, type Reach } from './choose-collections.tsx';
import { ChooseRole, claimsOf } from './choose-role.tsx';
import { Note } from './note.tsx';

const scopes: readonly (readonly [scope: Scope, meaning: string])[] = [
  ['read', 'reads records and the feed'],
  ['write', 'also adds, changes and deletes records'],
  ['admin', 'also administers keys and sees the figures of the service'],
];

export type NewKeyProps = {
  readonly collections: readonly string[];
  /** Of the configuration file. */
  readonly roles: readonly Role[];
  /** Reading needs no key. */
  readonly isOpenToRead: boolean;
  readonly onCreated: () => void;
  readonly onClose: () => void;
};

export function NewKey({ collections, roles, isOpenToRead, onCreated, onClose }: NewKeyProps) {
  const [secret, setSecret] = useState<string | undefined>();
  const [name, setName] = useState('');
  const [scope, setScope] = useState<Scope>('read');
  /** In place of a scope. */
  const [role, setRole] = useState<Role | undefined>();
  const [claims, setClaims] = useState<Readonly<Record<string, string>>>({});
  const [reach, setReach] = useState<Reach | undefined>();
  const [only, setOnly] = useState<readonly string[]>([]);
  const [isAsked, setAsked] = useState(false);
  const [expires, setExpires] = useState('');
  const [failure, setFailure] = useState<unknown>();
  const grant: Grant = {
    name: name.trim(),
    ...(role === undefined
      ? { scope, ...(reach === 'only' ? { collections: only } : {}) }
      : { role: role.name, claims: claimsOf(claims) }),
    // The end of the day that was chosen, at this place.
    ...(expires === '' ? {} : { expires_at: new Date(`${expires}T23:59:59`).toISOString() }),
  };
  const problems = failure instanceof ShelfError ? failure.problems : [];
  const about = (field: string) =>
    problems
      .filter((problem) => problem.field === field)
      .map(({ detail }) => detail)
      .join('; ');

  // A key for everything is never made by forgetting a choice.
  const unchosen =
    role !== undefined
      ? ''
      : reach === undefined
        ? 'Choose the collections.'
        : reach === 'only' && only.length === 0
          ? 'Choose at least one collection.'
          : '';

  async function create(): Promise<void> {
    setAsked(true);
    if (unchosen !== '') return;
    try {
      setSecret(await createKey(grant));
      onCreated();
    } catch (error) {
      setFailure(error);
    }
  }

  if (secret !== undefined)
    return (
      <Dialog title={`The key ${grant.name}`} wide onClose={onClose} actions={<Button onPress={onClose}>Done</Button>}>
        <p>Copy it now: it is shown this once, and the server keeps only its digest.</p>
        <Snippet title="Key" text={secret} />
        <Snippet title="Try it, with the key in SHELF_KEY" text={curlOf({ path: '/api/v2/me' }, true)} />
      </Dialog>
    );
  return (
    <Dialog title="New key" onClose={onClose}>
      <form
        class="new-key"
        onSubmit={(event) => {
          event.preventDefault();
          create();
        }}
      >
        <label for="new-key-name">Name</label>
        <input
          id="new-key-name"
          class="input"
          required
          autofocus
          autocomplete="off"
          value={name}
          aria-describedby="new-key-name-note"
          aria-invalid={about('name') === '' ? undefined : true}
          onInput={({ currentTarget }) => setName(currentTarget.value)}
        />
        <Note id="new-key-name-note" problem={about('name')} hint="The feed names it as the author of changes." />
        <fieldset>
          <legend>Scope</legend>
          {scopes.map(([one, meaning]) => (
            <label key={one}>
              <input
                type="radio"
                name="scope"
                checked={role === undefined && scope === one}
                onChange={() => {
                  setScope(one);
                  setRole(undefined);
                }}
              />
              <span>
                <b>{one}</b> <span class="soft">{meaning}</span>
              </span>
            </label>
          ))}
          {roles.map((one) => (
            <label key={one.name}>
              <input type="radio" name="scope" checked={role === one} onChange={() => setRole(one)} />
              <span>
                role <b>{one.name}</b> <span class="soft">of the configuration file</span>
              </span>
            </label>
          ))}
        </fieldset>
        {role === undefined ? (
          <ChooseCollections
            collections={collections}
            reach={reach}
            only={only}
            isOpenToRead={isOpenToRead}
            problem={isAsked && unchosen !== '' ? unchosen : about('collections')}
            onReach={setReach}
            onOnly={setOnly}
          />
        ) : (
          <ChooseRole role={role} texts={claims} problem={about('claims')} onTexts={setClaims} />
        )}
        <label for="new-key-expires">Expires on</label>
        <input
          id="new-key-expires"
          class="input"
          type="date"
          value={expires}
          aria-describedby="new-key-expires-note"
          aria-invalid={about('expires_at') === '' ? undefined : true}
          onInput={({ currentTarget }) => setExpires(currentTarget.value)}
        />
        <Note
          id="new-key-expires-note"
          problem={about('expires_at')}
          hint="At the end of this day. Empty: it does not expire."
        />
        {failure === undefined ? null : <p role="alert">{messageOf(failure)}</p>}
        <div class="dialog-actions">
          {unchosen === '' ? (
            <AsCode
              code={() => ({ curl: curlOf(creation(grant), true), typescript: fetchProgram(creation(grant), true) })}
            />
          ) : null}
          <Button kind="main" submits>
            Create the key
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
