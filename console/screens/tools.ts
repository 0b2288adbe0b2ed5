/** Screens that concern the service as a whole, each at `/console/-/NAME`. No collection has a name with a dash. */
import type { FunctionComponent } from 'preact';
import type { IconName } from '../parts/icon.tsx';
import type { OpenSession } from '../state/session.ts';
import { Health } from './health.tsx';
import { Import } from './import.tsx';
import { Keys } from './keys.tsx';
import { Live } from './live.tsx';

type Tool = {
  readonly name: string;
  readonly title: string;
  readonly icon: IconName;
  readonly View: FunctionComponent<{ readonly session: OpenSession }>;
};

export const tools: readonly Tool[] = [
  { name: 'import', title: 'Import', icon: 'upload', View: Import },
  { name: 'live', title: 'Live', icon: 'live', View: Live },
  { name: 'health', title: 'Health', icon: 'health', View: Health },
  { name: 'keys', title: 'Keys', icon: 'keys', View: Keys },
];
