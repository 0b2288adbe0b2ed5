/** The way to every screen: at the side, or behind a button on a narrow page. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { address, hrefOf } from '../state/address.ts';
import { leave, session, signOut } from '../state/session.ts';
import { Button } from './button.tsx';
import { Icon, type IconName, Logo } from './icon.tsx';
import './rail.css';

export type Entry = { readonly name: string; readonly title: string; readonly icon: IconName };

export function Rail({ tools }: { readonly tools: readonly Entry[] }) {
  const isOpen = useSignal(false);
  const { path } = address.value;
  const current = session.value;
  // A link that was followed closes the menu.
  useEffect(() => {
    isOpen.value = false;
  }, [address.value]);
  if (current.kind !== 'open') return null;
  const { me, collections, version, docs } = current;
  return (
    <header class="rail">
      <div class="rail-head">
        <a class="rail-name" href={hrefOf([])}>
          <Logo />
          Shelf
        </a>
        <span class="rail-menu">
          <Button
            icon="menu"
            kind="quiet"
            label="Menu"
            expanded={isOpen.value}
            onPress={() => {
              isOpen.value = !isOpen.value;
            }}
          />
        </span>
      </div>
      <nav class={isOpen.value ? 'open' : ''} aria-label="Console">
        <ul>
          <Line href={hrefOf([])} icon="home" title="Home" isCurrent={path.length === 0} />
        </ul>
        <h2>Collections</h2>
        <ul>
          {collections.map(({ name, title }) => (
            <Line
              key={name}
              href={hrefOf([name])}
              icon="collection"
              title={title ?? name}
              isCurrent={path[0] === name}
            />
          ))}
        </ul>
        {tools.length === 0 ? null : <h2>Service</h2>}
        <ul>
          {tools.map(({ name, title, icon }) => (
            <Line
              key={name}
              href={hrefOf(['-', name])}
              icon={icon}
              title={title}
              isCurrent={path[0] === '-' && path[1] === name}
            />
          ))}
        </ul>
        <div class="rail-foot">
          {me.auth === 'off' ? null : me.name === null ? (
            <Button icon="keys" onPress={() => signOut()}>
              Sign in
            </Button>
          ) : (
            <>
              <span class="soft">
                Key <b>{me.name}</b>, scope {me.scope}
              </span>
              <Button icon="leave" onPress={() => leave()}>
                Sign out
              </Button>
            </>
          )}
          <span class="soft">
            {docs === undefined ? null : (
              <>
                <a href={docs}>Documentation</a> ·{' '}
              </>
            )}
            {version}
          </span>
        </div>
      </nav>
    </header>
  );
}

type LineProps = {
  readonly href: string;
  readonly icon: IconName;
  readonly title: string;
  readonly isCurrent: boolean;
};

function Line({ href, icon, title, isCurrent }: LineProps) {
  return (
    <li>
      <a href={href} aria-current={isCurrent ? 'page' : undefined}>
        <Icon name={icon} />
        <span>{title}</span>
      </a>
    </li>
  );
}
