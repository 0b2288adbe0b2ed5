/**
 * The container image for both processors, as an OCI layout in a tar file. It has the executable, the C library and nothing else:
 * no shell, no package manager. It runs as nobody, and writes only to /data and /tmp.
 */
import { dirname } from 'node:path';
import packageJson from '../../package.json' with { type: 'json' };
import { type Artifact, type Commit, sha256 } from './artifact.ts';
import { libc, type Processor } from './libc.ts';
import { type Entry, gzip, tarParts } from './tar.ts';

const { version, license, description } = packageJson;
export const imageFile = `shelf-${version}-image.tar`;

/** The user nobody. As a number, because the check runAsNonRoot of Kubernetes does not resolve names. */
const nobody = 65534;

const seconds = (count: number) => count * 1_000_000_000;
/** Docker and Podman read it, although the specification of OCI does not have it. Kubernetes has probes of its own. */
const Healthcheck = {
  Test: ['CMD', '/usr/local/bin/shelf', 'health'],
  Interval: seconds(30),
  Timeout: seconds(5),
  StartPeriod: seconds(60),
  Retries: 3,
};

const system: readonly Entry[] = [
  // A new volume inherits owner and mode.
  { path: 'data', mode: 0o700, owner: nobody },
  { path: 'tmp', mode: 0o1777 },
  { path: 'etc/passwd', content: `root:x:0:0::/:/none\nnobody:x:${nobody}:${nobody}::/:/none\n` },
  { path: 'etc/group', content: `root:x:0:\nnogroup:x:${nobody}:\n` },
  { path: 'etc/nsswitch.conf', content: 'hosts: files dns\n' },
];

function withFolders(entries: readonly Entry[]): Entry[] {
  const known = new Set(entries.map(({ path }) => path));
  const folders = new Set<string>();
  for (const { path } of entries)
    for (let folder = dirname(path); folder !== '.'; folder = dirname(folder))
      if (!known.has(folder)) folders.add(folder);
  return [...entries, ...[...folders].map((path) => ({ path }))];
}

type Descriptor = { readonly mediaType: string; readonly digest: string; readonly size: number };
const mediaType = (name: string) => `application/vnd.oci.image.${name}`;

/** Collects blobs, each in a file named for its digest. */
class Blobs {
  readonly entries: Entry[] = [];

  add(type: string, bytes: Uint8Array): Descriptor {
    const digest = sha256([bytes]);
    const path = `blobs/sha256/${digest}`;
    if (!this.entries.some((entry) => entry.path === path)) this.entries.push({ path, content: bytes });
    return { mediaType: mediaType(type), digest: `sha256:${digest}`, size: bytes.length };
  }

  addJson(type: string, value: object): Descriptor {
    return this.add(type, Buffer.from(JSON.stringify(value)));
  }
}

export type Executable = { readonly processor: Processor; readonly bytes: Uint8Array };

/** `licenses`: of everything in the executable. */
export async function image(executables: readonly Executable[], licenses: string, commit: Commit): Promise<Artifact> {
  const { revision, date } = commit;
  const created = new Date(date * 1000).toISOString();
  const labels = {
    'org.opencontainers.image.title': 'Shelf',
    'org.opencontainers.image.description': description,
    'org.opencontainers.image.version': version,
    'org.opencontainers.image.revision': revision,
    'org.opencontainers.image.created': created,
    'org.opencontainers.image.licenses': license,
  };
  const blobs = new Blobs();

  async function manifest({ processor, bytes }: Executable): Promise<Descriptor> {
    const layers = [
      tarParts(withFolders([...system, ...(await libc(processor))]), date),
      tarParts(
        withFolders([
          { path: 'usr/local/bin/shelf', mode: 0o755, content: bytes },
          { path: 'usr/share/doc/shelf/THIRD-PARTY-LICENSES', content: licenses },
        ]),
        date,
      ),
    ];
    const config = blobs.addJson('config.v1+json', {
      created,
      architecture: processor,
      os: 'linux',
      config: {
        User: `${nobody}:${nobody}`,
        ExposedPorts: { '8000/tcp': {} },
        Env: ['PATH=/usr/local/bin'],
        Entrypoint: ['/usr/local/bin/shelf'],
        Volumes: { '/data': {} },
        WorkingDir: '/',
        Labels: labels,
        Healthcheck,
      },
      rootfs: { type: 'layers', diff_ids: layers.map((parts) => `sha256:${sha256(parts)}`) },
      history: ['the C library', 'shelf'].map((created_by) => ({ created, created_by })),
    });
    return blobs.addJson('manifest.v1+json', {
      schemaVersion: 2,
      mediaType: mediaType('manifest.v1+json'),
      config,
      layers: layers.map((parts) => blobs.add('layer.v1.tar+gzip', gzip(parts))),
      annotations: labels,
    });
  }

  const manifests: object[] = [];
  for (const one of executables)
    manifests.push({ ...(await manifest(one)), platform: { os: 'linux', architecture: one.processor } });
  const indexType = 'index.v1+json';
  const about = { schemaVersion: 2, mediaType: mediaType(indexType) };
  const both = blobs.addJson(indexType, { ...about, manifests, annotations: labels });
  const named = { ...both, annotations: { 'org.opencontainers.image.ref.name': version } };
  const entries = withFolders([
    ...blobs.entries,
    { path: 'oci-layout', content: '{"imageLayoutVersion":"1.0.0"}' },
    { path: 'index.json', content: JSON.stringify({ ...about, manifests: [named] }) },
  ]);
  return { file: imageFile, bytes: Buffer.concat(tarParts(entries, date)) };
}
