/** The server does not answer, so there is nothing to show. */
import { Button } from '../parts/button.tsx';
import { startSession } from '../state/session.ts';
import './sign-in/sign-in.css';

export function Unreachable({ why }: { readonly why: string }) {
  return (
    <main class="sign-in">
      <h1>Shelf</h1>
      <p role="alert">{why}</p>
      <Button kind="main" onPress={startSession}>
        Retry
      </Button>
    </main>
  );
}
