/** npm run bench -- --cores all: each server and the load share all cores. */
import { availableParallelism } from 'node:os';
import { type Work, works } from '../measure/work.ts';
import type { Peer, Server } from '../servers/launch.ts';
import { peers } from '../servers/peers.ts';

export const allCores = `0-${availableParallelism() - 1}`;
const connections = 128;

const compared = ['shelf', 'elysia', 'go net/http', 'axum', 'pocketbase', 'nginx'];

/** For two cores. */
const floors: Readonly<Record<string, Work['floors']>> = {
  get: { 'go net/http': 1.3, axum: 0.9, nginx: 0.7 },
  post: { 'go net/http': 1.1, axum: 0.6, pocketbase: 15 },
  list: { nginx: 0.9 },
  mixed: { 'go net/http': 1.2, elysia: 1 },
};

/** The load comes from all cores, too. */
export async function sharing(server: Promise<Server>): Promise<Server> {
  return { ...(await server), load: { cores: allCores, connections } };
}

/** `further` are measured after Shelf, such as Shelf with other settings. */
export function coresBench(further: readonly Peer[] = []): { peers: readonly Peer[]; works: readonly Work[] } {
  const [shelf, ...others] = peers.filter(({ name }) => compared.includes(name));
  return {
    peers: [...(shelf === undefined ? [] : [shelf]), ...further, ...others].map((peer) => ({
      ...peer,
      start: (port, tls) => sharing(peer.start(port, tls, allCores)),
    })),
    works: works.map((work) => ({ ...work, title: `${work.title}, all cores`, floors: floors[work.name] ?? {} })),
  };
}
