/** The claims of a new key with a role, and what the role may do with them. */
import type { Claims, Role } from '../../api/keys.ts';
import { Note } from './note.tsx';
import { RightsTable } from './rights-table.tsx';

export type ChooseRoleProps = {
  readonly role: Role;
  /** As they are typed, by their names. */
  readonly texts: Readonly<Record<string, string>>;
  readonly problem: string;
  readonly onTexts: (texts: Readonly<Record<string, string>>) => void;
};

const noteId = 'new-key-claims-note';

export function ChooseRole({ role, texts, problem, onTexts }: ChooseRoleProps) {
  return (
    <>
      {role.claims.length === 0 ? null : (
        <fieldset aria-describedby={noteId}>
          <legend>Claims</legend>
          {role.claims.map((claim) => (
            <label key={claim}>
              <span>{claim}</span>
              <input
                class="input"
                autocomplete="off"
                value={texts[claim] ?? ''}
                onInput={({ currentTarget }) => onTexts({ ...texts, [claim]: currentTarget.value })}
              />
            </label>
          ))}
          <Note
            id={noteId}
            problem={problem}
            hint="7 is a number, true is true, anything else is text; a number in quotes is text, too. A rule with a claim that is left empty never holds."
          />
        </fieldset>
      )}
      <RightsTable role={role} claims={claimsOf(texts)} />
    </>
  );
}

/** As `shelf keys create --claim` reads them. */
export function claimsOf(texts: Readonly<Record<string, string>>): Claims {
  const given = Object.entries(texts).filter(([, text]) => text !== '');
  return Object.fromEntries(given.map(([name, text]) => [name, claimIn(text)]));
}

function claimIn(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && !Array.isArray(value) ? text : value;
  } catch {
    return text;
  }
}
