/** Whole servers over one database, with roles and rules, whose callers are API keys: the requests of a test are spread over their threads. */
import type { AccessDeclaration } from '../../../src/domain/access/declaration.ts';
import type { Collection } from '../../../src/domain/record/collection.ts';
import { issueKey } from '../../../src/http/access/issue-key.ts';
import { type As, type Asked, askOver } from './role-server.ts';
import { startServer } from './server.ts';

export type RoleService = Asked & { stop(): Promise<void> };

type ServiceOptions = {
  readonly collections: readonly Collection[];
  readonly rules: AccessDeclaration;
  readonly database: string;
  /** Servers over the database. */
  readonly instances: number;
  /** Of each server. */
  readonly threads: number;
};

/** Every so many requests, the connection is closed: the next one can be of another thread. */
const requestsOfConnection = 5;

export async function startRoleService(options: ServiceOptions): Promise<RoleService> {
  const { collections, rules, database, threads } = options;
  const servers: Awaited<ReturnType<typeof startServer>>[] = [];
  const stop = async () => {
    for (const server of servers.toReversed()) await server.stop();
  };
  try {
    // One after the other: the first one makes the tables.
    for (let n = 0; n < options.instances; n++)
      servers.push(await startServer({ collections, rules, database, server: { threads }, access: { auth: 'all' } }));
  } catch (error) {
    await stop();
    throw error;
  }
  const [first] = servers;
  if (first === undefined) throw new Error('a service has servers');
  const secrets = new Map<string, Promise<string>>();

  async function newKey(as: As): Promise<string> {
    const grant = 'scope' in as ? { scope: as.scope } : { scope: undefined, role: as.role, claims: as.claims ?? {} };
    const name = `key-${secrets.size}`;
    const { key, secret } = issueKey({ name, collections: undefined, expiresAt: undefined, ...grant }, new Date());
    await first?.store.admin.apiKeys.add(key);
    return secret;
  }

  /** A role of anybody needs no key. */
  async function keyOf(as: As): Promise<string | undefined> {
    if (!('scope' in as) && rules.roles[as.role]?.from === 'anybody') return undefined;
    const name = JSON.stringify(as);
    const secret = secrets.get(name) ?? newKey(as);
    secrets.set(name, secret);
    return secret;
  }

  let asked = 0;
  const next = () => {
    const url = servers[asked++ % servers.length]?.url ?? first.url;
    return { url, isLast: asked % requestsOfConnection === 0 };
  };
  return { ...askOver(next, keyOf), stop };
}
