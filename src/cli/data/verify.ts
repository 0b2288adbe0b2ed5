/** `shelf verify`: reads everything, also while servers run, and says what is wrong. */
import type { Engine } from '../../storage/open.ts';
import { explained } from '../../storage/transfer/open-databases.ts';
import { openVerifySource } from '../../storage/verify/open-verify-source.ts';
import { verify } from '../../storage/verify/verify.ts';
import { counted, grouped, listed, recordAmount, sinceText } from '../text/amounts.ts';
import { databaseLabel } from '../text/database-label.ts';
import { type DataOptions, databaseOptions } from './options.ts';
import { stepsOn } from './steps.ts';

/** `text` has a line for each thing that is wrong, and then one that says what was done. */
export type Verified = { readonly text: string; readonly isRight: boolean };

export async function verifyDatabase(engine: Engine, options: DataOptions): Promise<Verified> {
  const began = performance.now();
  const { screen, signal } = options;
  const label = databaseLabel(engine);
  const source = await openVerifySource(engine, databaseOptions(engine, options));
  const steps = stepsOn(screen);
  try {
    const { parts, changes } = source.outline;
    const records = parts.reduce((sum, one) => sum + one.records, 0);
    const findings = await explained(label, () =>
      verify(source, {
        onRows: steps.add,
        onStep: (step) =>
          step === 'integrity' ? steps.begin('Checking the files') : steps.begin('Verifying', { record: records }),
        signal,
      }),
    );
    const amount = listed([recordAmount(records, parts.length), counted(changes.kept, 'change')]);
    const done = `Verified ${amount} of ${label} in ${sinceText(began)}`;
    const { lines, count } = findings;
    if (count === 0) return { text: `${done}: nothing is wrong.\n`, isRight: true };
    const more = count > lines.length ? [`and ${grouped(count - lines.length)} more`] : [];
    const verdict = count === 1 ? '1 thing is wrong' : `${grouped(count)} things are wrong`;
    return { text: `${[...lines, ...more].join('\n')}\n${done}: ${verdict}.\n`, isRight: false };
  } finally {
    steps.end();
    await source.close();
  }
}
