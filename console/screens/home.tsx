/** The first screen: the collections. */
import { hrefOf } from '../state/address.ts';
import { session } from '../state/session.ts';
import './home.css';

export function Home() {
  const current = session.value;
  if (current.kind !== 'open') return null;
  return (
    <>
      <div class="screen-head">
        <h1>Home</h1>
      </div>
      <div class="plain-screen">
        <ul class="collections">
          {current.collections.map(({ name, title, description }) => (
            <li key={name}>
              <a href={hrefOf([name])}>{title ?? name}</a>
              {description === undefined ? null : <span class="soft">{description}</span>}
            </li>
          ))}
        </ul>
      </div>
    </>
  );
}
