/** What is inside, as CycloneDX: of the server as an executable or a package, and of the image, which has the C library besides. */
import packageJson from '../../package.json' with { type: 'json' };
import { type Artifact, type Commit, sha256 } from './artifact.ts';
import { type Bundled, bundledPackages } from './bundled.ts';
import { insideOf } from './inner-parts.ts';
import { libcVersion } from './libc.ts';
import { runtimeParts } from './runtime-parts.ts';

const { version, license, description } = packageJson;

const purl = (name: string, of: string) => `pkg:npm/${name.replace('@', '%40')}@${of}`;

/** An identifier of SPDX, or an expression of several. */
const licensesOf = (text: string) => [/\s/.test(text) ? { expression: text } : { license: { id: text } }];

/** What a package has bundled itself; its versions are known where its bundle names them. */
function inner(one: Bundled): object {
  const components = insideOf(one).parts.map(({ name, version: of }) => ({
    type: 'library',
    'bom-ref': `${one.name}/${name}`,
    name,
    ...(of === undefined ? {} : { version: of }),
  }));
  return components.length === 0 ? {} : { components };
}

const linked = () =>
  runtimeParts().map(({ name, version: of, license: text, spdx, url }) => ({
    type: 'library',
    'bom-ref': `bun/${name}`,
    name,
    ...(of === undefined ? {} : { version: of }),
    licenses: spdx === undefined ? [{ license: { name: text, url } }] : licensesOf(spdx),
  }));

async function components(): Promise<object[]> {
  const packages = (await bundledPackages()).map((one) => {
    const { name, version: of, license: text, description: about } = one;
    return {
      type: 'library',
      'bom-ref': purl(name, of),
      name,
      version: of,
      ...(about === undefined ? {} : { description: about }),
      licenses: licensesOf(text),
      purl: purl(name, of),
      ...inner(one),
    };
  });
  const runtime = {
    type: 'platform',
    'bom-ref': purl('bun', Bun.version),
    name: 'bun',
    version: Bun.version,
    description: 'The runtime: in the executables and the image, and a dependency of the npm package.',
    licenses: licensesOf('MIT'),
    purl: purl('bun', Bun.version),
    components: linked(),
  };
  return [...packages, runtime];
}

const libc = {
  type: 'library',
  'bom-ref': `pkg:deb/debian/libc6@${libcVersion}`,
  name: 'libc6',
  version: libcVersion,
  licenses: licensesOf('LGPL-2.1-or-later'),
  purl: `pkg:deb/debian/libc6@${encodeURIComponent(libcVersion)}?distro=bookworm`,
};

function bom(kind: 'application' | 'container', inside: readonly object[], { revision, date }: Commit): Uint8Array {
  const own = `pkg:npm/shelf-server@${version}`;
  const digest = sha256([Buffer.from(`${revision} ${kind}`)]);
  const uuid = digest.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-4$3-8$4-$5');
  return Buffer.from(
    `${JSON.stringify(
      {
        bomFormat: 'CycloneDX',
        specVersion: '1.6',
        serialNumber: `urn:uuid:${uuid}`,
        version: 1,
        metadata: {
          timestamp: new Date(date * 1000).toISOString(),
          component: { type: kind, 'bom-ref': own, name: 'shelf', version, description, licenses: licensesOf(license) },
        },
        components: inside,
        dependencies: [
          { ref: own, dependsOn: inside.map((one) => (one as { readonly 'bom-ref': string })['bom-ref']).sort() },
        ],
      },
      null,
      2,
    )}\n`,
  );
}

export async function sboms(commit: Commit): Promise<Artifact[]> {
  const server = await components();
  return [
    { file: `shelf-${version}.cdx.json`, bytes: bom('application', server, commit) },
    { file: `shelf-${version}-image.cdx.json`, bytes: bom('container', [...server, libc], commit) },
  ];
}
