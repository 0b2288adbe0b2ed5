/** The collections as they are declared, to look at and to change. Its script is loaded when it is opened. */
import { lazy } from '../parts/lazy.tsx';
import type { OpenSession } from '../state/session.ts';
// A script that is loaded later has no style of its own.
import '../schema/editor.css';
import './schema.css';
import './schema/picture/picture.css';

export const Schema = lazy<{ readonly session: OpenSession }>(async () => (await import('./schema/screen.tsx')).Screen);
