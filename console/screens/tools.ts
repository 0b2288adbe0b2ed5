/** Screens that concern the service as a whole, each at `/console/-/NAME`. No collection has a name with a dash. */
import type { FunctionComponent } from 'preact';
import type { IconName } from '../parts/icon.tsx';
import { type OpenSession, refusal, type Scope } from '../state/session.ts';
import { Health } from './health.tsx';
import { Import } from './import.tsx';
import { Keys } from './keys.tsx';
import { Live } from './live.tsx';
import { Schema } from './schema.tsx';

type Tool = {
  readonly name: string;
  readonly title: string;
  readonly icon: IconName;
  /** Callers without it do not see the screen. */
  readonly scope?: Scope;
  readonly View: FunctionComponent<{ readonly session: OpenSession }>;
};

const all: readonly Tool[] = [
  { name: 'schema', title: 'Schema', icon: 'schema', scope: 'admin', View: Schema },
  { name: 'import', title: 'Import', icon: 'upload', View: Import },
  { name: 'live', title: 'Live', icon: 'live', View: Live },
  { name: 'health', title: 'Health', icon: 'health', View: Health },
  { name: 'keys', title: 'Keys', icon: 'keys', View: Keys },
];

/** Those of this caller. */
export const tools = () => all.filter(({ scope }) => scope === undefined || refusal(scope) === undefined);
