/** GET /api/v2/keys/roles: the roles that a key can have, and what each may do. */
import Type from 'typebox';
import type { AccessDeclaration } from '../../domain/access/declaration.ts';
import { claimsNamed, operations, type RightsRow, rightsTable } from '../../domain/access/rights-table.ts';
import type { Collection } from '../../domain/record/collection.ts';
import { plainJson } from '../../domain/record/plain-data.ts';
import { jsonContent } from '../route/operation.ts';
import { json } from '../route/reply.ts';
import type { Route } from '../route/route.ts';
import { oneOf } from '../route/schemas.ts';

const condition = (description: string) =>
  Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()], { description });

const rowSchema = Type.Object({
  collection: Type.String(),
  operation: oneOf(operations),
  where: condition('The records, as in the configuration file; null for all.'),
  fields: Type.Union([Type.Array(Type.String()), Type.Null()], {
    description: 'Those that are visible, or that may be sent; null for a deletion.',
  }),
  set: condition('Fields that the server sets; null for none.'),
  check: condition('What holds for the record after the change; null for nothing.'),
});
const roleSchema = Type.Object({
  name: Type.String(),
  is_for_anybody: Type.Boolean({ description: 'Requests without a key act in this role.' }),
  claims: Type.Array(Type.String(), { description: 'Those that its rules name.' }),
  rights: Type.Array(rowSchema),
});

/** `access` is that of the configuration file; undefined if it has none. */
export function rolesRoute(access: AccessDeclaration | undefined, collections: readonly Collection[]): Route {
  const data = (access === undefined ? [] : Object.entries(access.roles)).map(([name, { from }]) => ({
    name,
    is_for_anybody: from === 'anybody',
    claims: access === undefined ? [] : claimsNamed(access, name),
    rights: access === undefined ? [] : rightsTable(access, name, collections).map(rowOf),
  }));
  const text = plainJson({ data });
  const example = {
    data: [
      {
        name: 'member',
        is_for_anybody: false,
        claims: ['member_id'],
        rights: [
          {
            collection: collections[0]?.name ?? 'loans',
            operation: 'read',
            where: { member: '$caller.member_id' },
            fields: ['id', 'version', 'created_at', 'updated_at'],
            set: null,
            check: null,
          },
        ],
      },
    ],
  };
  return {
    method: 'GET',
    sight: 'scope only',
    path: '/api/v2/keys/roles',
    access: 'admin',
    operation: {
      id: 'listRolesV2',
      tag: 'service',
      summary: 'List the roles of the configuration file, and what each may do',
      problems: true,
      answers: [
        {
          status: 200,
          description: 'The roles, in the order of the file; none if it has none.',
          content: jsonContent(Type.Object({ data: Type.Array(roleSchema) }), example),
        },
      ],
      failures: ['overloaded'],
    },
    handle: () => json(200, text, { 'Cache-Control': 'private, no-store' }),
  };
}

/** A row has every member. */
function rowOf({ collection, operation, where, fields, set, check }: RightsRow) {
  return {
    collection,
    operation,
    where: where ?? null,
    fields: fields ?? null,
    set: set ?? null,
    check: check ?? null,
  };
}
