/** The collections of the contract, which are served unless the file leaves them out. */
import { Button } from '../../parts/button.tsx';
import { edit } from '../../schema/draft.ts';
import { removeMember, setMember } from '../../schema/file/edits.ts';
import type { OfContract } from '../../schema/file/model.ts';

export function ContractCollections({ served, leftOut }: OfContract) {
  return (
    <section class="schema-contract" aria-label="Collections of the contract">
      {served.map((name) => (
        <p key={name}>
          <span class="soft">{name} is a collection of the contract: the file does not declare it.</span>
          <Button kind="quiet" onPress={() => edit((text) => setMember(text, [name], 'false'))}>
            Leave out {name}
          </Button>
        </p>
      ))}
      {leftOut.map((name) => (
        <p key={name}>
          <span class="soft">{name} is left out. Its records stay in the database.</span>
          <Button kind="quiet" onPress={() => edit((text) => removeMember(text, [name]))}>
            Serve {name}
          </Button>
        </p>
      ))}
    </section>
  );
}
