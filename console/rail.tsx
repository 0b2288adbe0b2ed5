/** The way to every screen: at the side, or behind a button on a narrow page. */
import { useEffect, useState } from 'preact/hooks';
import { Button } from './parts/button.tsx';
import { Icon, type IconName, Logo } from './parts/icon.tsx';
import { tools } from './screens/tools.ts';
import { person } from './sign-in/person.ts';
import { address, hrefOf } from './state/address.ts';
import { finding } from './state/finding.ts';
import { leave, type Me, type OpenSession, signOut } from './state/session.ts';
import './rail.css';

export function Rail({ session }: { readonly session: OpenSession }) {
  const [isOpen, open] = useState(false);
  const { path } = address.value;
  // A link that was followed closes the menu.
  useEffect(() => open(false), [address.value]);
  const { me, collections, version, docs } = session;
  return (
    <header class="rail">
      <div class="rail-head">
        <a class="rail-name" href={hrefOf([])}>
          <Logo />
          Shelf
        </a>
        <span class="rail-menu">
          <Button icon="search" kind="quiet" label="Find" onPress={find} />
          <Button icon="menu" kind="quiet" label="Menu" expanded={isOpen} onPress={() => open(!isOpen)} />
        </span>
      </div>
      <nav class={isOpen ? 'open' : ''} aria-label="Console">
        <div class="rail-find">
          <Button icon="search" onPress={find}>
            Find <kbd>Ctrl K</kbd>
          </Button>
        </div>
        <ul class="plain-list">
          <Line href={hrefOf([])} icon="home" title="Home" isCurrent={path.length === 0} />
        </ul>
        <h2>Collections</h2>
        <ul class="plain-list">
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
        <h2>Service</h2>
        <ul class="plain-list">
          {tools().map(({ name, title, icon }) => (
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
              <Caller me={me} />
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

function find(): void {
  finding.value = 'palette';
}

/** A person has the name that the issuer gives. The feed and the log have the longer one. */
function Caller({ me: { name, scope, role } }: { readonly me: Me }) {
  const signedIn = person.value;
  const may = role === undefined ? `scope ${scope}` : `role ${role}`;
  if (signedIn === undefined)
    return (
      <span class="soft">
        Key <b>{name}</b>, {may}
      </span>
    );
  return (
    <span class="soft" title={name ?? ''}>
      <b>{signedIn.name}</b> at {signedIn.place}, {may}
    </span>
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
        <span class="one-line">{title}</span>
      </a>
    </li>
  );
}
