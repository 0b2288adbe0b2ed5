/** An address that no screen has. */
import { hrefOf } from '../state/address.ts';

export function Missing() {
  return (
    <>
      <div class="screen-head">
        <h1>Not found</h1>
      </div>
      <div class="plain-screen">
        <p>There is no screen at this address, or this key may not read its collection.</p>
        <p>
          <a href={hrefOf([])}>Home</a>
        </p>
      </div>
    </>
  );
}
