/** Whether a plan may be carried out, and what to do if not. */
import { StartError } from '../domain/errors.ts';
import type { CollectionChange } from './plan.ts';
import { collectionAdvice, fieldAdvice, unservedLine } from './renames.ts';
import type { Risk, Step, Violation } from './step.ts';

export type Permission = {
  /** The risks that are taken without being allowed one by one. */
  readonly risks: readonly Risk[];
  /** Steps that are allowed, as in `drop:books.tags`. */
  readonly allowed: readonly string[];
};

/** How a database may be changed. */
export type Evolution = Permission & {
  /** Called with each step that is done to a collection that was there before. */
  onStep(text: string): void;
  /** PostgreSQL: called in the transaction, when everything else is done. If it throws, nothing is changed. */
  readonly beforeCommit?: () => void;
  /** PostgreSQL: stored in the same commit. */
  readonly fileTag?: string;
};

export function isPermitted({ risk, allow }: Step, { risks, allowed }: Permission): boolean {
  return allow === undefined ? risks.includes(risk) : allowed.includes(allow);
}

/** Throws a StartError with the whole plan unless every step may be done. */
export function requirePermitted(changes: readonly CollectionChange[], permission: Permission): void {
  const steps = changes.flatMap((change) => change.steps);
  if (steps.every((step) => isPermitted(step, permission))) return;
  const lines = steps.map((step) => `  ${isPermitted(step, permission) ? '        ' : 'not done'}  ${step.text}`);
  const needed = steps.flatMap(({ allow }) => allow ?? []);
  const command = `shelf migrate${needed.length === 0 ? '' : ` --allow ${needed.join(',')}`}`;
  const isPossible = steps.every(({ risk }) => risk !== 'refused');
  const advice = isPossible
    ? [
        ...fieldAdvice(changes),
        `Run ${command} (with the same --config) to do all of it, or undo the change in the file.`,
      ].join('\n')
    : 'Correct the file.';
  throw new StartError(
    `The database does not fit the declared collections, and nothing was changed. The plan:\n${lines.join('\n')}\n${advice}`,
  );
}

export type Plan = {
  readonly changes: readonly CollectionChange[];
  /** Collections that the database has, and that are not declared. */
  readonly unserved: readonly string[];
  /** One line for each record that does not fit, of the first few of each field. */
  readonly violations: readonly Violation[];
};

/** The plan as text, for the operator. */
export function planText({ changes, unserved, violations }: Plan): string {
  const steps = changes.flatMap((change) => change.steps);
  const notes: Readonly<Record<Risk, string>> = {
    none: 'loses nothing; done at the start of a server',
    check: 'loses nothing if every record fits',
    loss: 'loses or converts values; done only if it is allowed',
    refused: 'is never done',
  };
  const isChecked = steps.some(({ risk, allow }) => risk === 'check' || allow?.startsWith('type:'));
  const lines = [
    ...steps.map(
      ({ text, risk, allow }) => `${text}\n    ${notes[risk]}${allow === undefined ? '' : `: --allow ${allow}`}`,
    ),
    ...(steps.length === 0 ? ['Nothing to do: the database fits the declared collections.'] : []),
    ...(unserved.length === 0 ? [] : [unservedLine(unserved)]),
    ...fieldAdvice(changes),
    ...collectionAdvice(changes, unserved),
    ...(violations.length > 0 ? ['These records do not fit, and have to be changed first:'] : []),
    ...violations.map(({ text }) => `    ${text}`),
    ...(isChecked && violations.length === 0 ? ['Every record fits.'] : []),
  ];
  return `${lines.join('\n')}\n`;
}
