/** The token of the person has expired: they sign in again beside the page, and nothing that was typed is lost. */
import { useSignal } from '@preact/signals';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { signInAgain } from '../../sign-in/other-window.ts';
import { person, signInLater } from '../../sign-in/person.ts';
import './sign-in.css';

/** For a change that waits. */
export function SignInAgain() {
  const { why, begin } = useSignInAgain();
  return (
    <Dialog
      title="Sign in again"
      onClose={signInLater}
      actions={
        <>
          <Button onPress={signInLater}>Later</Button>
          <Button kind="main" onPress={begin}>
            Sign in at {person.value?.place}
          </Button>
        </>
      }
    >
      <p>
        Your sign-in as <b>{person.value?.name}</b> has expired. Your change is sent after you have signed in.
      </p>
      {why === '' ? null : (
        <p role="alert" class="sign-in-failure">
          {why}
        </p>
      )}
    </Dialog>
  );
}

/** As a notice, which is in nobody's way. */
export function SignInExpired() {
  const { why, begin } = useSignInAgain();
  return (
    <div class="notice bad">
      <span>{why === '' ? `Your sign-in as ${person.value?.name} has expired. This page stays as it is.` : why}</span>
      <Button kind="quiet" onPress={begin}>
        Sign in again
      </Button>
      <Button icon="close" kind="quiet" label="Close this message" onPress={signInLater} />
    </div>
  );
}

function useSignInAgain() {
  const why = useSignal('');
  async function begin(): Promise<void> {
    why.value = '';
    why.value = await signInAgain();
  }
  return { why: why.value, begin };
}
