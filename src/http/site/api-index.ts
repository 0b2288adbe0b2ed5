/** The index at `/api` and its versions, for clients that know only the address. */
import Type, { type TSchema } from 'typebox';
import type { BoundAccess } from '../../domain/access/bound-access.ts';
import { seenIn } from '../../domain/access/view.ts';
import { type Caller, may } from '../../domain/caller.ts';
import type { Collection } from '../../domain/record/collection.ts';
import { plainJson } from '../../domain/record/plain-data.ts';
import { jsonContent, type Operation } from '../route/operation.ts';
import { json } from '../route/reply.ts';
import type { Route } from '../route/route.ts';

/** The documentation pages, where they are served. */
export const pageLinks = { docs: '/docs', redoc: '/redoc' };
export const apiLinks = { openapi: '/openapi.json', health: '/healthz', ready: '/readyz', api: '/api', v2: '/api/v2' };

export function linksOf(hasPages: boolean): Readonly<Record<string, string>> {
  return hasPages ? { ...pageLinks, ...apiLinks } : apiLinks;
}

const path = () => Type.String({ format: 'uri-reference' });
export const linksSchema = (links: Readonly<Record<string, string>>) =>
  Type.Object(Object.fromEntries(Object.keys(links).map((name) => [name, path()])));

const indexSchema = (collection: Readonly<Record<string, TSchema>>) =>
  Type.Object({
    name: Type.String(),
    version: Type.String(),
    links: Type.Record(Type.String(), path()),
    collections: Type.Array(Type.Object({ name: Type.String(), href: path(), ...collection })),
  });

/** A declaration has many options, and a client that knows none of a new type can still show the others. */
const declarationSchema = Type.Object(
  {
    singular: Type.String(),
    fields: Type.Record(Type.String(), Type.Object({ type: Type.String() }, { additionalProperties: true })),
  },
  { additionalProperties: true },
);

export function apiIndexRoutes(collections: readonly Collection[], version: string, hasPages: boolean): Route[] {
  const contracted = collections.filter(({ contract }) => contract !== undefined);
  const about = (links: Readonly<Record<string, string>>) => ({
    name: 'Shelf',
    version,
    links: { ...linksOf(hasPages), ...links },
  });
  function operation(id: string, prefix: string, schema: TSchema, example: unknown): Operation {
    return {
      id,
      tag: 'service',
      summary: `Index of ${prefix}`,
      answers: [{ status: 200, description: 'The collections, and links.', content: jsonContent(schema, example) }],
      failures: [],
    };
  }

  function contractIndex(prefix: string, id: string): Route {
    const index = { ...about({}), collections: contracted.map(({ name }) => ({ name, href: `${prefix}/${name}` })) };
    const text = JSON.stringify(index);
    return {
      method: 'GET',
      sight: 'open',
      path: prefix,
      access: 'open',
      operation: operation(id, prefix, indexSchema({}), index),
      handle: () => json(200, text),
    };
  }

  /** The collections that the caller may read, each with its declaration. */
  function productionIndex(prefix: string, id: string): Route {
    const head = about({ changes: `${prefix}/changes`, events: `${prefix}/events`, schema: '/shelf.schema.json' });
    const textOf = (shown: readonly Collection[]) => {
      const all = shown.map(({ name, declaration, contract }) => ({
        name,
        href: `${prefix}/${name}`,
        declaration: { ...declaration, contract: contract !== undefined },
      }));
      return plainJson({ ...head, collections: all });
    };
    const example = JSON.parse(textOf(collections.slice(0, 1)));
    return {
      method: 'GET',
      sight: 'records',
      path: prefix,
      collection: 'by query',
      operation: {
        ...operation(id, prefix, indexSchema({ declaration: declarationSchema }), example),
        problems: true,
      },
      handle: ({ caller, access }) => json(200, textOf(shownTo(caller, access))),
    };
  }
  /** With the fields that the caller may read. */
  function shownTo(caller: Caller, access: BoundAccess | undefined): readonly Collection[] {
    if (access === undefined) return collections.filter(({ name }) => may(caller, 'read', name));
    return collections.flatMap((collection) => {
      const view = access.viewOf(collection);
      return view === undefined ? [] : [seenIn(view)];
    });
  }

  return [
    contractIndex('/api', 'getApiIndex'),
    contractIndex('/api/v1', 'getApiIndexV1'),
    productionIndex('/api/v2', 'getApiIndexV2'),
  ];
}
