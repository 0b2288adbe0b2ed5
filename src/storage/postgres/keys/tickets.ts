/** Tickets in PostgreSQL. Any instance accepts a ticket, once. Tickets expire by the clock of the database. */
import type { SQL } from 'bun';
import type { Caller } from '../../../domain/caller.ts';
import { maxTickets, type Tickets, ticketMs } from '../../../domain/store/tickets.ts';

type Read = <Result>(ask: (sql: SQL) => Promise<Result>) => Promise<Result>;
type Row = { readonly caller: string; readonly key_digest: string | null; readonly fresh: boolean };

/** Idempotent: a retry, for example after a lost connection, finds the ticket and returns it again. */
const add = `
  with expired as (delete from event_tickets where expires_at <= now())
  insert into event_tickets
  select $1, $2, $3, $4, now() + $5::int * interval '1 millisecond'
  where (select count(*) from event_tickets where caller_id = $2 and expires_at > now() and digest <> $1) < $6::int
  on conflict (digest) do update set digest = excluded.digest
  returning digest`;

/** The delete also returns whether the ticket is fresh, because only one caller can delete the row. */
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
