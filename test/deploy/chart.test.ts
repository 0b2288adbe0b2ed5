/** The Helm chart: its values, its templates, and where helm is installed what they render. */
import { describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Ajv from 'ajv';
import packageJson from '../../package.json' with { type: 'json' };
import { systemTool } from '../../scripts/tools/system-tool.ts';
import { readCommand } from '../../src/cli/config/config.ts';
import { allSettings } from '../../src/cli/settings/settings.ts';
import { type Manifest, missing, typeMistakes, validate } from '../kubernetes/schemas.ts';
import { temporaryFolder } from '../support/data/folder.ts';
import { runCommand } from '../support/servers/command.ts';
import { root } from '../support/servers/process.ts';

const chart = join(root, 'deploy/chart');
const read = (name: string) => readFileSync(join(chart, name), 'utf8');
const templates = readdirSync(join(chart, 'templates')).map((name) => read(`templates/${name}`));
const values = Bun.YAML.parse(read('values.yaml')) as Readonly<Record<string, unknown>>;

/** Every path to a value, such as image.tag; an empty object has any members. */
function pathsIn(value: unknown, path: string): string[] {
  const members = typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : [];
  return members.length === 0
    ? [path]
    : members.flatMap(([key, one]) => pathsIn(one, path === '' ? key : `${path}.${key}`));
}

test('the chart has the version of the package', () => {
  const { version, appVersion } = Bun.YAML.parse(read('Chart.yaml')) as Readonly<Record<string, string>>;
  expect([version, appVersion]).toEqual([packageJson.version, packageJson.version]);
});

test('the templates use exactly the values that there are, which fit their schema', () => {
  const used = new Set(
    templates.flatMap((text) => [...text.matchAll(/\.Values\.([\w.]+)/g)].map(([, path]) => path ?? '')),
  );
  const known = pathsIn(values, '');
  const covers = (outer: string, inner: string) => inner === outer || inner.startsWith(`${outer}.`);
  expect([...used].filter((path) => !known.some((one) => covers(one, path) || covers(path, one)))).toEqual([]);
  expect(known.filter((one) => ![...used].some((path) => covers(path, one)))).toEqual([]);
  const fits = new Ajv({ strict: false }).compile(JSON.parse(read('values.schema.json')));
  expect(fits(values)).toBe(true);
  expect(fits({ ...values, engine: 'mysql' })).toBe(false);
  expect(fits({ ...values, engin: 'sqlite' })).toBe(false);
});

test('every block of a template ends, and every setting is one of Shelf', () => {
  const known = [...allSettings.map(({ env }) => env), 'POD_NAME'];
  for (const text of templates) {
    const count = (pattern: RegExp) => [...text.matchAll(pattern)].length;
    expect(count(/\{\{-? (if|with|range|define) /g)).toBe(count(/\{\{-? end\b/g));
    for (const [, name = ''] of text.matchAll(/- name: ([A-Z_]+)$/gm)) expect(known).toContain(name);
  }
});

const helm = systemTool('helm');
if (helm === undefined)
  process.stderr.write('\n!!! SKIPPED: what the Helm chart renders was not tested, because helm is not installed.\n');

type Container = {
  readonly env: readonly { readonly name: string; readonly value?: string }[];
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
};
type Pod = {
  readonly initContainers?: readonly Container[];
  readonly containers: readonly Container[];
  readonly volumes: readonly { readonly name: string }[];
};
type Rendered = Manifest & {
  readonly metadata: { readonly name: string };
  readonly data?: Readonly<Record<string, string>>;
  readonly spec: {
    readonly template?: { readonly spec: Pod };
    readonly volumeClaimTemplates?: readonly { readonly metadata: { readonly name: string } }[];
    readonly jobTemplate?: { readonly spec: { readonly template: { readonly spec: Pod } } };
  };
};

const books = { books: { singular: 'book', fields: { title: 'text' } } };
const everything = {
  config: { collections: books },
  image: { digest: `sha256:${'0'.repeat(64)}`, pullSecrets: ['pull'] },
  env: { SHELF_MAX_BODY: '4MiB' },
  tls: { secret: 'shelf-tls' },
  archive: { enabled: true, storageClass: 'slow' },
  serviceMonitor: { enabled: true, keySecret: 'metrics-key', labels: { release: 'prometheus' } },
  nodeSelector: { disk: 'ssd' },
  tolerations: [{ key: 'shelf', operator: 'Exists' }],
};
const cases = {
  'SQLite, as it is': {},
  'SQLite, with everything': { ...everything, sqlite: { storageClass: 'local' } },
  'PostgreSQL, as it is': { engine: 'postgres' },
  'PostgreSQL, with everything': {
    ...everything,
    engine: 'postgres',
    postgres: { caSecret: 'database-ca', instances: 3 },
  },
};

describe.skipIf(helm === undefined)('helm renders', () => {
  test.each(Object.entries(cases))(
    '%s',
    async (name, given) => {
      const file = join(temporaryFolder(), 'values.json');
      writeFileSync(file, JSON.stringify(given));
      const lint = await runCommand([helm ?? '', 'lint', '--strict', chart, '--values', file]);
      expect(lint).toMatchObject({ code: 0 });
      const command = [helm ?? '', 'template', 'ours', chart, '--values', file, '--kube-version', '1.31.0'];
      const { stdout, stderr, code } = await runCommand(command);
      expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
      const all = stdout.split(/^---$/m).map((text) => Bun.YAML.parse(text) as Rendered | null);
      const parts = all.filter((one) => one !== null);

      // The schemas have no resources of the operator of Prometheus.
      const standard = parts.filter(({ kind }) => kind !== 'ServiceMonitor');
      expect(parts.length - standard.length).toBe(name.endsWith('everything') ? 1 : 0);
      if (missing === undefined) {
        for (const one of standard) await validate(one);
        expect(await typeMistakes(standard)).toBe('');
      }
      const shelfJson = parts.find(({ kind }) => kind === 'ConfigMap')?.data?.['shelf.json'] ?? '';
      const config = join(dirname(file), 'shelf.json');
      writeFileSync(config, shelfJson);
      for (const { spec } of parts) {
        const pod = spec?.template?.spec ?? spec?.jobTemplate?.spec.template.spec;
        if (pod === undefined) continue;
        const volumes = [...pod.volumes, ...(spec.volumeClaimTemplates ?? []).map(({ metadata }) => metadata)];
        for (const { env, volumeMounts } of [...(pod.initContainers ?? []), ...pod.containers]) {
          for (const mount of volumeMounts) expect(volumes.map((one) => one.name)).toContain(mount.name);
          const settings = Object.fromEntries(env.map((one) => [one.name, one.value ?? 'postgres://secret/shelf']));
          const { SHELF_TLS_CERT, SHELF_TLS_KEY, POD_NAME, ...rest } = settings;
          const parsed = readCommand([], { ...rest, SHELF_CONFIG: config });
          expect('config' in parsed && parsed.config.database.url.kind).toBe(
            name.startsWith('PostgreSQL') ? 'postgres' : 'sqlite',
          );
          expect('collections' in parsed && parsed.collections.map((one) => one.name)).toEqual(
            name.endsWith('everything') ? ['items', 'users', 'books'] : ['items', 'users'],
          );
        }
      }
    },
    60_000,
  );
});
