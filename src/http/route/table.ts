/** Finds the route of a request by its method and path. */
import type { Route } from './route.ts';

export type Match =
  | { readonly kind: 'route'; readonly route: Route; readonly argument: string }
  | {
      readonly kind: 'other methods';
      readonly allow: string;
      readonly patchTypes: readonly string[];
      /** That of its routes. */
      readonly collection: string | undefined;
    }
  | { readonly kind: 'nothing' };

type Place = {
  readonly methods: Map<string, Route>;
  allow: string;
  patchTypes: readonly string[];
  collection: string | undefined;
};

/** The last path segment: literal names, and `any` for a parameter such as `{id}`. */
type Folder = { readonly path: string; readonly names: Map<string, Place>; any: Place | undefined };

/** Compiles the list of routes into a look-up by method and encoded path. HEAD is served by GET. */
export function routeTable(routes: readonly Route[]): (method: string, path: string) => Match {
  const folders = new Map<string, Folder>();
  /** What is below a folder, by its path with a slash. */
  const trees = new Map<string, Place>();
  for (const route of routes) {
    const place = placeOf(route.path);
    if (place.methods.has(route.method)) throw new Error(`${route.method} ${route.path} is declared twice`);
    place.methods.set(route.method, route);
    place.collection ??= route.collection;
    if (route.patchTypes !== undefined) place.patchTypes = route.patchTypes;
    if (route.method === 'GET') place.methods.set('HEAD', route);
    place.allow = [...place.methods.keys(), 'OPTIONS'].join(', ');
  }

  function placeOf(routePath: string): Place {
    const slash = routePath.lastIndexOf('/');
    const last = routePath.slice(slash + 1);
    const path = routePath.slice(0, slash);
    if (/^\{\w+\.\.\.\}$/.test(last)) return placeIn(trees, `${path}/`);
    const folder = folders.get(path) ?? { path, names: new Map(), any: undefined };
    folders.set(path, folder);
    if (!/^\{\w+\}$/.test(last)) return placeIn(folder.names, last);
    folder.any ??= newPlace();
    return folder.any;
  }

  /** The folder of the request before: comparing is cheaper than hashing a part of a path. */
  let recent: Folder | undefined;

  function folderOf(path: string, slash: number): Folder | undefined {
    if (recent?.path.length === slash && path.startsWith(recent.path)) return recent;
    const folder = folders.get(path.slice(0, slash));
    recent = folder ?? recent;
    return folder;
  }

  function below(path: string): Place | undefined {
    for (const [start, place] of trees) if (path.startsWith(start)) return place;
    return undefined;
  }

  return (method, encoded) => {
    const path = encoded.includes('%') ? encoded.split('/').map(decode).join('/') : encoded;
    const slash = path.lastIndexOf('/');
    const last = path.slice(slash + 1);
    const folder = folderOf(path, slash);
    const named = folder === undefined || folder.names.size === 0 ? undefined : folder.names.get(last);
    const place = named ?? (last === '' ? undefined : folder?.any) ?? below(path);
    if (place === undefined) return { kind: 'nothing' };
    const route = place.methods.get(method);
    if (route !== undefined) return { kind: 'route', route, argument: last };
    const { allow, patchTypes, collection } = place;
    return { kind: 'other methods', allow, patchTypes, collection };
  };
}

const newPlace = (): Place => ({ methods: new Map(), allow: '', patchTypes: [], collection: undefined });

function placeIn(places: Map<string, Place>, name: string): Place {
  const place = places.get(name) ?? newPlace();
  places.set(name, place);
  return place;
}

/** Decodes `%37` to `7` (RFC 3986). A segment with an invalid escape or an encoded slash stays encoded: it matches no literal. */
function decode(segment: string): string {
  try {
    const decoded = decodeURIComponent(segment);
    return decoded.includes('/') ? segment : decoded;
  } catch {
    return segment;
  }
}
