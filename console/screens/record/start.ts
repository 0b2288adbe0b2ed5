/** What a new record starts with: nothing, or the fields of the one that is duplicated. */
import type { JsonText } from '../../../src/exact/json-text.ts';
import type { Collection } from '../../api/declarations.ts';
import type { Row } from '../../api/pages.ts';
import { onLeave } from '../../state/session.ts';

let copied: { readonly collection: string; readonly values: ReadonlyMap<string, JsonText> } | undefined;

onLeave(async () => {
  copied = undefined;
});

/** Used once: the next new record is empty. */
export function startOfNew({ name }: Collection): ReadonlyMap<string, JsonText> {
  const values = copied?.collection === name ? copied.values : new Map<string, JsonText>();
  copied = undefined;
  return values;
}

/** An external id belongs to one record. */
startOfNew.from = ({ name }: Collection, { values }: Row): void => {
  copied = { collection: name, values: new Map([...values].filter(([field]) => field !== 'external_id')) };
};
