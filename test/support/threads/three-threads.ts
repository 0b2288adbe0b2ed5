/** Serving threads without a server: a main thread and two others, with what they share. */

import type { Writable } from 'node:stream';
import { Issuers } from '../../../src/cli/issuers/issuers.ts';
import { logWriter } from '../../../src/cli/log/log-writer.ts';
import { mainCalls, metricsOf, type ReportCalls } from '../../../src/cli/serve/thread-calls.ts';
import type { Ticket } from '../../../src/domain/store/tickets.ts';
import { LastHour } from '../../../src/http/observe/last-hour.ts';
import { Metrics } from '../../../src/http/observe/metrics.ts';
import { openTickets } from '../../../src/storage/sqlite/tickets.ts';
import { type Calls, callsOf, serveCalls } from '../../../src/threads/calls.ts';
import { noSettings } from '../servers/no-settings.ts';

const at = (path: string) => new URL(path, import.meta.url).href;
/** Lines of many lengths; 1,500 of three threads are less than what a log drops. */
export const lineOf = (name: string, n: number) => `${name} ${n} ${'x'.repeat((n * 37) % 3000)} end\n`;

const threadSource = `
  import { LastHour } from '${at('../../../src/http/observe/last-hour.ts')}';
  import { Metrics } from '${at('../../../src/http/observe/metrics.ts')}';
  import { callsOf, serveCalls } from '${at('../../../src/threads/calls.ts')}';
  import { remoteTickets } from '${at('../../../src/threads/remote-tickets.ts')}';
  import { logOverMain } from '${at('../../../src/cli/log/log-writer.ts')}';
  import { reportCalls } from '${at('../../../src/cli/serve/thread-calls.ts')}';
  const lineOf = ${lineOf};
  self.onmessage = ({ data: port }) => {
    const main = callsOf(port);
    const metrics = new Metrics(() => main.metricsOfOthers());
    const hour = new LastHour('');
    const tickets = remoteTickets(main);
    const log = logOverMain('json', main);
    serveCalls(port, {
      ...reportCalls({ metrics, hour, writesWaiting: () => 2 }),
      answer(count, ms) {
        for (let n = 0; n < count; n++) {
          metrics.request('/api/items', 'GET', 200, ms);
          hour.request('/api/items', 'GET', 200, ms, 'm', '/api/items');
        }
      },
      scrape: () => metrics.text(),
      figures: () => main.figures(),
      issue: (ticket) => tickets.add(ticket),
      redeem: (digest) => tickets.take(digest),
      async log(name, count) {
        for (let n = 0; n < count; n++) {
          log.write(lineOf(name, n));
          if (n % 50 === 0) await new Promise(setImmediate);
        }
        await log.flush();
      },
    });
    self.postMessage('ready');
  };`;
export type OtherThread = Calls<
  ReportCalls & {
    answer(count: number, ms: number): void;
    scrape(): string;
    figures(): { readonly since: string; readonly samples: readonly { readonly requests: number }[] };
    issue(ticket: Ticket): boolean;
    redeem(digest: string): Ticket | undefined;
    log(name: string, count: number): void;
  }
>;

/** A main thread with two others. */
export async function startThreads(stream: Writable) {
  const workers: Worker[] = [];
  const threads: OtherThread[] = [];
  const metrics = new Metrics(() => metricsOf(threads));
  const hour = new LastHour('then');
  const log = logWriter('json', stream);
  const issuers = new Issuers([], log.log, () => {});
  const parts = {
    ...{ metrics, hour, tickets: openTickets(), issuers, settings: noSettings, log },
    ...{ audit: undefined, telemetry: undefined },
  };
  const url = URL.createObjectURL(new Blob([threadSource], { type: 'text/javascript' }));
  async function join(): Promise<OtherThread> {
    const { port1, port2 } = new MessageChannel();
    const worker = new Worker(url);
    workers.push(worker);
    const ready = new Promise<void>((resolve, reject) => {
      worker.onmessage = () => resolve();
      worker.onerror = ({ message }) => reject(new Error(message));
    });
    const thread: OtherThread = callsOf(port1);
    serveCalls(port1, mainCalls(threads, thread, parts));
    worker.postMessage(port2, [port2]);
    await ready;
    threads.push(thread);
    return thread;
  }
  const stop = () => {
    for (const worker of workers) worker.terminate();
  };
  return { threads, metrics, hour, log, one: await join(), other: await join(), stop };
}
