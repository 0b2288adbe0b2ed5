/** Copies a database that is served: a large one takes long, and no request waits for it. */
import { collection } from '../../domain/record/collection.ts';
import type { Declarations } from '../../domain/record/declaration.ts';
import type { Engine } from '../../storage/open.ts';
import { type Thrown, thrownBy } from '../../threads/thrown.ts';
import { backup } from './backup.ts';

declare const self: Worker;

export type BackupOrder = { readonly engine: Engine; readonly to: string; readonly declarations: Declarations };
export type BackupAnswer = { readonly thrown: Thrown | undefined };

self.onmessage = ({ data: { engine, to, declarations } }: MessageEvent<BackupOrder>) => {
  let thrown: Thrown | undefined;
  try {
    backup(
      engine,
      to,
      Object.entries(declarations).map(([name, declaration]) => collection(name, declaration)),
    );
  } catch (error) {
    thrown = thrownBy(error);
  }
  self.postMessage({ thrown } satisfies BackupAnswer);
};
