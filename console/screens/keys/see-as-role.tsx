/** What a caller with a role sees and may change. */
import { useState } from 'preact/hooks';
import type { Role } from '../../api/keys.ts';
import { ChooseRole } from './choose-role.tsx';

export function SeeAsRole({ roles }: { readonly roles: readonly Role[] }) {
  const [name, setName] = useState('');
  const [claims, setClaims] = useState<Readonly<Record<string, string>>>({});
  const role = roles.find((one) => one.name === name);
  return (
    <section class="new-key" aria-labelledby="see-as-role">
      <h2 id="see-as-role">Roles</h2>
      <label for="see-as">See as this role</label>
      <select id="see-as" class="input" value={name} onChange={({ currentTarget }) => setName(currentTarget.value)}>
        <option value="">Choose a role</option>
        {roles.map((one) => (
          <option key={one.name} value={one.name}>
            {one.is_for_anybody ? `${one.name}, without a key` : one.name}
          </option>
        ))}
      </select>
      {role === undefined ? null : <ChooseRole role={role} texts={claims} problem="" onTexts={setClaims} />}
    </section>
  );
}
