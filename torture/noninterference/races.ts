/** A record is handed to another member while its first owner changes it: the change is allowed only if it came before. */
import { admin, member } from '../../test/support/data/private-library.ts';
import type { Answer } from '../../test/support/servers/role-server.ts';
import type { RoleService } from '../../test/support/servers/role-service.ts';

/** At a time. */
const together = 20;

export type Races = { readonly allowed: number; readonly refused: number; readonly complaints: readonly string[] };

export async function runRaces(count: number, start: () => Promise<RoleService>): Promise<Races> {
  const server = await start();
  const complaints: string[] = [];
  let [allowed, refused] = [0, 0];
  try {
    const book = idOf(await server.ask(admin, 'POST', '/api/v2/books', { title: 'Ficciones', state: 'available' }));

    async function race(number: number): Promise<void> {
      const loan = { book, member: 7, due_on: '2026-01-01' };
      const path = `/api/v2/loans/${idOf(await server.ask(admin, 'POST', '/api/v2/loans', loan))}`;
      const hand = () => server.ask(admin, 'PATCH', path, { member: 8 });
      const use = () => server.ask(member(), 'PATCH', path, { due_on: '2026-02-01' });
      // Either can be sent first.
      const [first, second] = number % 2 === 0 ? [hand, use] : [use, hand];
      const both = await Promise.all([first(), second()]);
      const [handed, used] = number % 2 === 0 ? both : both.toReversed();
      const versions = [versionOf(handed), versionOf(used)].join();
      if (versions === '3,2') allowed++;
      else if (versions === '2,404') refused++;
      else complaints.push(`loan ${path}: handed over and used with the versions ${versions}`);
    }

    for (let done = 0; done < count; done += together)
      await Promise.all(Array.from({ length: Math.min(together, count - done) }, (_, at) => race(done + at)));
  } finally {
    await server.stop();
  }
  return { allowed, refused, complaints };
}

function idOf({ status, json, text }: Answer): number {
  if (status !== 201) throw new Error(text);
  return (json as { id: number }).id;
}

/** Or the status of a refusal. */
function versionOf(answer: Answer | undefined): number | undefined {
  return answer?.status === 200 ? (answer.json as { version: number }).version : answer?.status;
}
