/** What a role may do, with the claims of a caller in the place of their names: to see as this role. */
import type { Claims, Role, RoleRight } from '../../api/keys.ts';

export function RightsTable({ role, claims }: { readonly role: Role; readonly claims: Claims }) {
  if (role.rights.length === 0) return <p>The role {role.name} may do nothing: no collection has a rule for it.</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reached with the keyboard.
    <section class="rights" aria-label={`What the role ${role.name} may do`} tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">Collection</th>
            <th scope="col">Operation</th>
            <th scope="col">Records</th>
            <th scope="col">Fields</th>
          </tr>
        </thead>
        <tbody>
          {role.rights.map((right) => (
            <tr key={`${right.collection} ${right.operation}`}>
              <td>{right.collection}</td>
              <td>{right.operation}</td>
              <td>{recordsOf(right, claims)}</td>
              <td>{fieldsOf(right, claims)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function recordsOf({ operation, where, check }: RoleRight, claims: Claims): string {
  const before = operation === 'create' ? [] : [where === null ? 'all' : shown(where, claims)];
  const after = check === null ? [] : [`after it ${shown(check, claims)}`];
  return [...before, ...after].join(', ') || '–';
}

function fieldsOf({ fields, set }: RoleRight, claims: Claims): string {
  const sets = Object.entries(set ?? {}).map(([name, value]) => `${name}=${shown(value, claims)}`);
  return [...(fields ?? []), ...sets].join(', ') || '–';
}

function shown(value: unknown, claims: Claims): string {
  return JSON.stringify(value, (_, one: unknown) => {
    const name = typeof one === 'string' && one.startsWith('$caller.') ? one.slice('$caller.'.length) : undefined;
    return name !== undefined && Object.hasOwn(claims, name) ? claims[name] : one;
  });
}
