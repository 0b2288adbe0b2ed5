/** The operations of a transaction by their names, and the members of each. */
export const operationMembers = {
  create: ['op', 'collection', 'record', 'as'],
  update: ['op', 'collection', 'id', 'record', 'version', 'where', 'count'],
  replace: ['op', 'collection', 'id', 'record', 'version', 'where'],
  add: ['op', 'collection', 'id', 'record', 'version', 'where', 'count'],
  delete: ['op', 'collection', 'id', 'version', 'where', 'count'],
  upsert: ['op', 'collection', 'key', 'record'],
  check: ['op', 'collection', 'id', 'exists', 'version', 'where', 'count'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type OperationName = keyof typeof operationMembers;

export const operationNames = Object.keys(operationMembers) as readonly OperationName[];

export function isOperation(name: string): name is OperationName {
  return Object.hasOwn(operationMembers, name);
}
