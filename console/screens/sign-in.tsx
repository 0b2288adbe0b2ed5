/** Asks for a key, where the server asks for one. */
import { useSignal } from '@preact/signals';
import { Button } from '../parts/button.tsx';
import { Logo } from '../parts/icon.tsx';
import { signIn, startSession } from '../state/session.ts';
import './sign-in.css';

export function SignIn({ why, isNeeded }: { readonly why: string; readonly isNeeded: boolean }) {
  const key = useSignal('');
  return (
    <main class="sign-in">
      <Logo />
      <h1>Sign in to Shelf</h1>
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
          autofocus
          aria-describedby="key-hint"
          aria-invalid={why === '' ? undefined : true}
          value={key.value}
          onInput={({ currentTarget }) => {
            key.value = currentTarget.value;
          }}
        />
        {why === '' ? null : <p role="alert">{why}</p>}
        <p id="key-hint" class="soft">
          It is kept in this tab until you close it or sign out. <code>shelf keys create</code> makes one.
        </p>
        <div class="sign-in-actions">
          <Button kind="main" submits>
            Sign in
          </Button>
          {isNeeded ? null : (
            <Button kind="quiet" onPress={startSession}>
              Go on without a key
            </Button>
          )}
        </div>
      </form>
    </main>
  );
}
