/** A registry of npm on loopback that has the packages of a release, and leads to the usual registry for all others. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

type Manifest = { readonly name: string; readonly version: string };

/** npm asks for the manifests of all versions before it fetches one. */
function manifestIn(bytes: Uint8Array): Manifest {
  // The first entry of the sorted archive that has this name; its size is in octal.
  const text = gunzipSync(bytes).toString('latin1');
  const at = text.indexOf('package/package.json\0');
  const size = Number.parseInt(text.slice(at + 124, at + 135), 8);
  return JSON.parse(text.slice(at + 512, at + 512 + size)) as Manifest;
}

/** `folder` has the packages; `upstream` ends with a slash. */
export function npmRegistry(folder: string, upstream: string): { readonly url: string; stop(): Promise<void> } {
  const packages = new Map(
    readdirSync(folder)
      .filter((file) => /^(shelf-server|shelf-client|create-shelf)-\d.*\.tgz$/.test(file))
      .map((file) => {
        const bytes = readFileSync(join(folder, file));
        const manifest = manifestIn(bytes);
        return [manifest.name, { file, bytes, manifest }] as const;
      }),
  );
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: ({ url }) => {
      const { pathname, origin } = new URL(url);
      const asked = decodeURIComponent(pathname.slice(1));
      const archive = [...packages.values()].find(({ file }) => asked === file);
      if (archive !== undefined) return new Response(archive.bytes);
      const found = packages.get(asked);
      if (found === undefined) return Response.redirect(new URL(pathname.slice(1), upstream).href, 302);
      const { manifest, file, bytes } = found;
      const integrity = `sha512-${new Bun.CryptoHasher('sha512').update(bytes).digest('base64')}`;
      const version = { ...manifest, dist: { tarball: `${origin}/${file}`, integrity } };
      return Response.json({
        name: manifest.name,
        'dist-tags': { latest: manifest.version },
        versions: { [manifest.version]: version },
      });
    },
  });
  return { url: server.url.href, stop: () => server.stop(true) };
}
