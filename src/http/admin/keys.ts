/** Administration of API keys: list, create and revoke. */
import Type from 'typebox';
import { claimsMistake } from '../../domain/access/claims.ts';
import { type Caller, type Claims, type Scope, scopes } from '../../domain/caller.ts';
import { Failure, invalidBody } from '../../domain/errors.ts';
import { type Collection, collection } from '../../domain/record/collection.ts';
import type { Draft } from '../../domain/record/record.ts';
import { type ApiKey, type Grant, keyNamePattern, stateOf, states } from '../../domain/store/api-keys.ts';
import type { Store } from '../../domain/store/store.ts';
import type { AuthMode } from '../access/auth.ts';
import { issueKey } from '../access/issue-key.ts';
import { type Bodies, bodyFailures } from '../body/json-body.ts';
import { type Audit, type AuditEntry, auditOf } from '../observe/audit.ts';
import type { Log } from '../observe/log-entry.ts';
import { jsonContent, type Operation, readFailures, writeFailures } from '../route/operation.ts';
import { empty, privateJson } from '../route/reply.ts';
import type { Call, Route } from '../route/route.ts';
import { oneOf, time } from '../route/schemas.ts';

/** The body that creates a key is declared and checked like a record. */
const grants = collection('keys', {
  singular: 'key',
  fields: {
    name: { type: 'text', min: 1, max: 64, pattern: keyNamePattern },
    scope: { type: 'choice', of: [...scopes], optional: true },
    collections: { type: 'list', of: 'text', min: 1, max: 200, optional: true },
    role: { type: 'text', min: 1, max: 50, optional: true },
    claims: { type: 'json', optional: true },
    expires_at: { type: 'timestamp', optional: true },
  },
});

const nullable = (schema: ReturnType<typeof time>) => Type.Union([schema, Type.Null()]);
const keyMembers = {
  id: Type.String(),
  name: Type.String(),
  scope: Type.Union([oneOf(scopes), Type.Null()], { description: 'Null for a key with a role.' }),
  collections: Type.Union([Type.Array(Type.String()), Type.Null()], { description: 'Null for all, and with a role.' }),
  role: Type.Union([Type.String(), Type.Null()], {
    description: 'A role of the configuration file; null for a key with a scope.',
  }),
  claims: Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()], {
    description: 'What rules know of the caller; null for a key with a scope.',
  }),
  state: oneOf(states),
  created_at: time(),
  expires_at: nullable(time()),
  revoked_at: nullable(time()),
  last_used_at: Type.Union([time(), Type.Null()], { description: 'To about a minute; null if it never was.' }),
};
const keySchema = Type.Object(keyMembers);
const secretSchema = Type.Object({ ...keyMembers, key: Type.String({ description: 'Shown this once.' }) });

/** By the change that is made there. */
const paths = { created: '/api/v2/keys', revoked: '/api/v2/keys/{id}' } as const;

export type KeyRoutesOptions = {
  readonly store: Store;
  readonly collections: readonly Collection[];
  readonly bodies: Bodies;
  readonly auth: AuthMode;
  /** Of the configuration file. */
  readonly roles: readonly string[];
  readonly log: Log;
  /** Absent without an audit log. */
  readonly audit: Audit | undefined;
};

export function keyRoutes({ store, collections, bodies, auth, roles, log, audit }: KeyRoutesOptions): Route[] {
  const { apiKeys } = store.admin;
  const names = collections.map(({ name }) => name);
  const at = '2026-01-01T00:00:00.000Z';
  const example = shown(
    {
      id: '9f86d081884c',
      name: 'shop',
      digest: '',
      scope: 'write',
      collections: names.slice(0, 1),
      createdAt: at,
      expiresAt: undefined,
      revokedAt: undefined,
      lastUsedAt: undefined,
    },
    at,
  );

  function operation(id: string, summary: string, rest: Pick<Operation, 'answers' | 'failures'> & Partial<Operation>) {
    const failures = ['forbidden' as const, ...rest.failures];
    return { id, tag: 'service', summary, problems: true as const, ...rest, failures };
  }

  /** Without authentication anybody could make a key that still counts after it is turned on. Throws `forbidden`. */
  function requireAuth(): void {
    if (auth !== 'off') return;
    throw new Failure('forbidden', {
      detail: 'This server requires no keys, so it does not administer them: start it with --auth, or use shelf keys.',
    });
  }

  /** Notes a change that has happened; in the audit log also one of which that is not known. Resolves with what it resolves with. */
  async function noted(
    action: keyof typeof paths,
    key: ApiKey,
    call: Call,
    change: Promise<boolean>,
  ): Promise<boolean> {
    const { requestId, caller } = call;
    function note(outcome: AuditEntry['outcome']): void {
      audit?.(auditOf(call, paths[action], { record: key.id, outcome }));
    }
    try {
      const isChanged = await change;
      if (!isChanged) return false;
      log({ level: 'info', event: 'key', request_id: requestId, action, name: key.name, id: key.id, by: caller.name });
      note(action);
      return true;
    } catch (error) {
      if (error instanceof Failure && error.code === 'outcome_unknown') note(error.code);
      throw error;
    }
  }

  /** A key has a scope or a role. */
  function grantProblems({
    scope,
    only,
    role,
    claims,
  }: Readonly<Record<'scope' | 'only' | 'role' | 'claims', unknown>>) {
    const wrong = claims === undefined ? undefined : claimsMistake(claims);
    const found: [field: string, message: string | undefined | false][] =
      typeof role !== 'string'
        ? [
            ['scope', typeof scope !== 'string' && 'is required: send a scope, or a role'],
            ['claims', claims !== undefined && 'are only for a key with a role; leave them out'],
          ]
        : [
            ['role', !roles.includes(role) && `has the unknown role ${JSON.stringify(role)}; ${knownRoles()}`],
            ['scope', typeof scope === 'string' && 'cannot be sent with a role, whose rules say what the key may do'],
            ['collections', typeof only === 'string' && 'cannot be sent with a role, whose rules name them'],
            ['claims', wrong],
          ];
    return found.flatMap(([field, message]) => (typeof message === 'string' ? [{ field, message }] : []));
  }

  function knownRoles(): string {
    return roles.length === 0 ? 'the configuration file has none' : `known roles: ${roles.join(', ')}`;
  }

  /** The key expires with its creator at the latest. Throws `invalid_body`. */
  function grantOf({ fields }: Draft, now: Date, creator: Caller): Grant {
    const { name, scope, collections: only, role, claims: sentClaims, expires_at: expiresAt } = fields;
    const claims: unknown = typeof sentClaims === 'string' ? JSON.parse(sentClaims) : undefined;
    // The value of a list is its JSON.
    const limited: string[] | undefined = typeof only === 'string' ? JSON.parse(only) : undefined;
    const unknown = (limited ?? []).filter((one) => !names.includes(one));
    const latest = creator.expiresAt === undefined ? undefined : new Date(creator.expiresAt).toISOString();
    const problems = [
      ...unknown.map((one) => ({
        field: 'collections',
        message: `has the unknown collection ${JSON.stringify(one)}; known collections: ${names.join(', ')}`,
      })),
      ...grantProblems({ scope, only, role, claims }),
      ...(typeof expiresAt === 'string' && expiresAt <= now.toISOString()
        ? [{ field: 'expires_at', message: `must be in the future, got ${expiresAt}` }]
        : []),
      ...(typeof expiresAt === 'string' && latest !== undefined && expiresAt > latest
        ? [
            {
              field: 'expires_at',
              message: `must not be after ${latest}, when ${creator.name} expires; got ${expiresAt}`,
            },
          ]
        : []),
    ];
    if (problems.length > 0) throw invalidBody('key', problems);
    return {
      name: String(name),
      scope: (scope ?? undefined) as Scope | undefined,
      ...(typeof role === 'string' ? { role, claims: (claims ?? {}) as Claims } : {}),
      collections: limited,
      expiresAt: typeof expiresAt === 'string' ? expiresAt : latest,
    };
  }

  return [
    {
      method: 'GET',
      sight: 'scope only',
      path: '/api/v2/keys',
      access: 'admin',
      operation: operation('listKeysV2', 'List all API keys, including revoked and expired ones', {
        answers: [
          {
            status: 200,
            description: 'The keys, oldest first. The keys themselves are not stored.',
            content: jsonContent(Type.Object({ data: Type.Array(keySchema) }), { data: [example] }),
          },
        ],
        failures: readFailures,
      }),
      handle: async () => {
        requireAuth();
        const now = new Date().toISOString();
        const data = (await apiKeys.list()).map((key) => shown(key, now));
        return privateJson(200, { data });
      },
    },
    {
      method: 'POST',
      sight: 'scope only',
      path: paths.created,
      access: 'admin',
      operation: operation('createKeyV2', 'Create an API key', {
        description:
          'Takes no Idempotency-Key, because keys are not stored: after a lost answer, revoke the key and create another. The key expires with the key or token that creates it, or earlier.',
        body: jsonContent(Type.Unsafe(grants.record.draftSchema), { name: 'shop', scope: 'write' }),
        answers: [
          {
            status: 201,
            description: 'The key, which is shown this once.',
            content: jsonContent(secretSchema, { ...example, key: 'shelf_...' }),
          },
        ],
        failures: ['already_exists', ...bodyFailures, ...writeFailures],
      }),
      handle: async (call) => {
        requireAuth();
        const now = new Date();
        const sent = await bodies.read(call, grants.record.members);
        const { key, secret } = issueKey(grantOf(grants.record.parse(sent), now, call.caller), now);
        if (!(await noted('created', key, call, apiKeys.add(key)))) {
          const detail = `A key named ${key.name} exists already: revoke it, or choose another name.`;
          throw new Failure('already_exists', { detail, problems: [{ field: 'name', message: 'is taken' }] });
        }
        const body = { ...shown(key, now.toISOString()), key: secret };
        return privateJson(201, body);
      },
    },
    {
      method: 'DELETE',
      sight: 'scope only',
      path: paths.revoked,
      access: 'admin',
      operation: operation('revokeKeyV2', 'Revoke an API key', {
        parameter: { name: 'id', description: 'The id of the key.', schema: Type.String() },
        answers: [{ status: 204, description: 'The key is revoked: the next request with it is refused.' }],
        failures: ['not_found', ...writeFailures],
      }),
      handle: async (call) => {
        requireAuth();
        const key = (await apiKeys.list()).find(({ id }) => id === call.argument);
        const revocation = (id: string) => apiKeys.revoke(id, new Date().toISOString());
        if (key === undefined || !(await noted('revoked', key, call, revocation(key.id))))
          throw new Failure('not_found', {
            detail: `There is no key ${JSON.stringify(call.argument)} to revoke: GET /api/v2/keys lists all keys.`,
          });
        return empty(204);
      },
    },
  ];
}

function shown(key: ApiKey, now: string) {
  return {
    id: key.id,
    name: key.name,
    scope: key.scope ?? null,
    collections: key.collections ?? null,
    role: key.role ?? null,
    claims: key.claims ?? null,
    state: stateOf(key, now),
    created_at: key.createdAt,
    expires_at: key.expiresAt ?? null,
    revoked_at: key.revokedAt ?? null,
    last_used_at: key.lastUsedAt ?? null,
  };
}
