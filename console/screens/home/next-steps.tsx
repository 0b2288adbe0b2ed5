/** The two commands that a new user needs next. */
import type { Collection } from '../../api/declarations.ts';
import { Snippet } from '../../code/as-code.tsx';
import { ownCollectionsCommands, typesCommand } from '../../code/commands.ts';
import { curlOf } from '../../code/curl.ts';
import { exampleOf } from './example.ts';

export function NextSteps({
  collections,
  withKey,
}: {
  readonly collections: readonly Collection[];
  readonly withKey: boolean;
}) {
  const own = collections.find(({ contract }) => !contract);
  const first = own ?? collections[0];
  const ownCommands = ownCollectionsCommands();
  return (
    <section aria-labelledby="next-title">
      <h2 id="next-title">Next</h2>
      <div class="next-steps">
        {first === undefined ? null : (
          <Snippet
            title={`Add a record to ${first.title ?? first.name}`}
            text={curlOf({ method: 'POST', path: `/api/v2/${first.name}`, body: exampleOf(first) }, withKey)}
          />
        )}
        {own === undefined && ownCommands !== undefined ? (
          <Snippet title="Declare collections of your own" text={ownCommands} />
        ) : (
          <Snippet title="Write a program against these collections" text={typesCommand()} />
        )}
      </div>
    </section>
  );
}
