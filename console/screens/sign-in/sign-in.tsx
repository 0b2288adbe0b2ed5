/** Asks who it is, where the server has to know: at an issuer, or by a key. */
import { useSignal } from '@preact/signals';
import { Button } from '../../parts/button.tsx';
import { Logo } from '../../parts/icon.tsx';
import { failedSignIn, goToIssuer } from '../../sign-in/go.ts';
import { issuers, placeOf } from '../../sign-in/issuers.ts';
import { person } from '../../sign-in/person.ts';
import { goOn, leave, signIn } from '../../state/session.ts';
import './sign-in.css';

export function SignIn({ why, isNeeded }: { readonly why: string; readonly isNeeded: boolean }) {
  return (
    <main class="sign-in">
      <Logo />
      <h1>Sign in to Shelf</h1>
      {failedSignIn.value === '' ? null : (
        <p role="alert" class="sign-in-failure">
          {failedSignIn.value}
        </p>
      )}
      {issuers.length === 0 ? null : <Issuers />}
      <KeyForm why={why} isNeeded={isNeeded} />
    </main>
  );
}

function Issuers() {
  const without = person.value;
  return (
    <>
      <div class="sign-in-issuers">
        {issuers.map((issuer) =>
          issuer.endpoints === undefined ? (
            <div key={issuer.name} class="sign-in-unread soft">
              The server cannot read {placeOf(issuer)} now.
              <Button onPress={() => location.reload()}>Retry</Button>
            </div>
          ) : (
            <Button
              key={issuer.name}
              kind={issuers.length === 1 ? 'main' : 'plain'}
              onPress={() => goToIssuer(issuer, false)}
            >
              Sign in with {placeOf(issuer)}
            </Button>
          ),
        )}
        {without === undefined ? null : (
          <Button icon="leave" onPress={leave}>
            Sign out at {without.place}
          </Button>
        )}
      </div>
      <p class="sign-in-or soft">or</p>
    </>
  );
}

function KeyForm({ why, isNeeded }: { readonly why: string; readonly isNeeded: boolean }) {
  const key = useSignal('');
  const hasIssuers = issuers.length > 0;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (key.value.trim() !== '') signIn(key.value.trim());
      }}
    >
      <label for="key">API key or token</label>
      <input
        id="key"
        class="input"
        type="password"
        autocomplete="off"
        autofocus={!hasIssuers}
        aria-describedby="key-hint"
        aria-invalid={why === '' ? undefined : true}
        value={key.value}
        onInput={({ currentTarget }) => {
          key.value = currentTarget.value;
        }}
      />
      {why === '' ? null : <p role="alert">{why}</p>}
      <p id="key-hint" class="soft">
        It is kept in the tabs of this page until you close them or sign out. <code>shelf keys create</code> makes one.
      </p>
      <div class="sign-in-actions">
        <Button kind={hasIssuers ? 'plain' : 'main'} submits>
          {hasIssuers ? 'Sign in with a key' : 'Sign in'}
        </Button>
        {isNeeded ? null : (
          <Button kind="quiet" onPress={goOn}>
            Go on without a key
          </Button>
        )}
      </div>
    </form>
  );
}

export function Leaving() {
  return (
    <main class="sign-in">
      <p role="status" class="soft">
        Signing out …
      </p>
    </main>
  );
}
