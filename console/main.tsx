/** Starts the console in its page. */
import { render } from 'preact';
import { App } from './app.tsx';
import { followLinks } from './state/address.ts';
import { startSession } from './state/session.ts';

const place = document.getElementById('console');
if (place !== null) {
  followLinks();
  await startSession();
  // Until now the page shows the empty frame that the server has sent.
  place.replaceChildren();
  render(<App />, place);
}
