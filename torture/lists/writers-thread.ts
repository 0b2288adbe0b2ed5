/** The writers, on a thread of their own: beside readers of long lists they would send far fewer writes. */
import { excerpt } from './answers.ts';
import { Clients, request } from './clients.ts';
import type { Exchange } from './connection.ts';
import { Moments } from './moments.ts';
import { type PlanName, plans, writers } from './plans.ts';

declare const self: Worker;

export type Order = { readonly port: number; readonly plan: PlanName; readonly shared: SharedArrayBuffer };

self.onmessage = async ({ data: { port, plan, shared } }: MessageEvent<Order>) => {
  const moments = new Moments(shared);
  const clients = new Clients(port, () => moments.isStopped);
  const write = (number: number): Exchange => {
    const { method, path, body, status, answer } = plans[plan](number);
    moments.send(number);
    return {
      request: request(method, path, body),
      judge: (got) => {
        moments.answer(number);
        if (got.status !== status || !got.body.toString().includes(answer))
          clients.complaints.push(`${method} ${path}: expected ${status}, got ${got.status} ${excerpt(got.body)}`);
      },
    };
  };
  const rounds = Array.from({ length: writers }, (_, writer) => {
    let next = writer;
    return () => {
      const number = next;
      next += writers;
      return number < moments.capacity ? [write(number)] : [];
    };
  });
  await Promise.all(rounds.map((round) => clients.run(round)));
  self.postMessage(clients.complaints);
};
