/** Tickets in PostgreSQL: one that an instance has given is taken by any, once, and expires by the database's clock. */
import type { SQL } from 'bun';
import type { Caller } from '../../domain/caller.ts';
import { maxTickets, type Tickets, ticketMs } from '../../domain/tickets.ts';

type Read = <Result>(ask: (sql: SQL) => Promise<Result>) => Promise<Result>;
type Row = { readonly caller: string; readonly key_digest: string | null; readonly fresh: boolean };

/** Where it is tried twice, as after a lost connection, the second time finds the ticket and answers it too. */
const add = `
  with expired as (delete from event_tickets where expires_at <= now())
  insert into event_tickets
  select $1, $2, $3, $4, now() + $5::int * interval '1 millisecond'
  where (select count(*) from event_tickets where caller_id = $2 and expires_at > now() and digest <> $1) < $6::int
  on conflict (digest) do update set digest = excluded.digest
  returning digest`;

/** Whether it is fresh is judged here, because each row can be deleted by one alone. */
const take = `
  delete from event_tickets where digest = $1 returning caller, key_digest, expires_at > now() as fresh`;

export function openTickets(read: Read): Tickets {
  return {
    async add({ digest, caller, keyDigest }) {
      const values = [digest, caller.id, JSON.stringify(caller), keyDigest ?? null, ticketMs, maxTickets];
      return (await read((sql) => sql.unsafe(add, values))).length > 0;
    },
    async take(digest) {
      const [row] = (await read((sql) => sql.unsafe(take, [digest]))) as Row[];
      if (row === undefined || !row.fresh) return undefined;
      return { digest, caller: JSON.parse(row.caller) as Caller, keyDigest: row.key_digest ?? undefined };
    },
  };
}
