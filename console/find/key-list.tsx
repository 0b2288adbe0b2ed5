/** The keys that this screen knows. */
import { Fragment } from 'preact';
import { Dialog } from '../parts/dialog.tsx';
import { address } from '../state/address.ts';
import { keysOf } from './keys.ts';

export function KeyList({ onClose }: { readonly onClose: () => void }) {
  const { path, search } = address.value;
  const parts = keysOf(path, search);
  return (
    <Dialog title="Keys of this screen" onClose={onClose}>
      {parts.length === 1 ? <p class="soft">This screen has no keys of its own.</p> : null}
      {parts.map(({ title, keys }) => (
        <section key={title} aria-label={title}>
          <h3 class="keys-title">{title}</h3>
          <dl class="shortcuts">
            {keys.map(([key, meaning]) => (
              <div key={meaning}>
                <dt>
                  {key.split(' ').map((one) => (
                    <Fragment key={one}>
                      <kbd>{one}</kbd>{' '}
                    </Fragment>
                  ))}
                </dt>
                <dd>{meaning}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </Dialog>
  );
}
