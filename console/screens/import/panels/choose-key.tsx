/** Whether records that exist are updated, and which fields tell that a row is for one of them. */
import type { Collection } from '../../../api/declarations.ts';
import { keysOf, type Plan } from '../plan.ts';

export type ChooseKeyProps = {
  readonly collection: Collection;
  readonly plan: Plan;
  readonly onPlan: (plan: Plan) => void;
};

/** Nothing, if no rule of the collection can tell. */
export function ChooseKey({ collection, plan, onPlan }: ChooseKeyProps) {
  const keys = keysOf(collection);
  if (keys.length === 0) return null;
  return (
    <label class="import-into">
      Existing records
      <select
        class="input"
        value={plan.key?.join() ?? ''}
        onChange={({ currentTarget: { value } }) =>
          onPlan({ ...plan, key: keys.find((fields) => fields.join() === value) })
        }
      >
        <option value="">Keep them: every row is a new record</option>
        {keys.map((fields) => (
          <option key={fields.join()} value={fields.join()}>
            Update those that have the same {fields.join(' and ')}
          </option>
        ))}
      </select>
    </label>
  );
}
