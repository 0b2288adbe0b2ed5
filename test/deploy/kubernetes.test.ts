/** The Kubernetes manifest: the schemas of Kubernetes and of CloudNativePG accept it, and its parts fit each other and Shelf. */
import { describe, expect, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { readCommand } from '../../src/cli/config/config.ts';
import { allSettings } from '../../src/cli/settings/settings.ts';
import { serversOf } from '../../src/storage/postgres/connect/servers.ts';
import { missing, typeMistakes, validate } from '../kubernetes/schemas.ts';
import { temporaryFolder } from '../support/data/folder.ts';
import { root } from '../support/servers/process.ts';

type Variable = { readonly name: string; readonly value?: string; readonly valueFrom?: unknown };
type Probe = {
  readonly httpGet: { readonly path: string };
  readonly periodSeconds: number;
  readonly failureThreshold: number;
};
type Container = {
  readonly args?: readonly string[];
  readonly env: readonly Variable[];
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
  readonly livenessProbe?: Probe;
  readonly readinessProbe?: Probe;
};
type Labels = Readonly<Record<string, string>>;
type Pod = {
  readonly metadata: { readonly labels: Labels };
  readonly spec: {
    readonly terminationGracePeriodSeconds: number;
    readonly initContainers: readonly Container[];
    readonly containers: readonly Container[];
    readonly volumes: readonly { readonly name: string; readonly configMap?: { readonly name: string } }[];
  };
};
type Spec = {
  readonly replicas?: number;
  readonly minAvailable?: number;
  readonly instances?: number;
  readonly selector?: Labels & { readonly matchLabels?: Labels };
  readonly template?: Pod;
  readonly strategy?: { readonly rollingUpdate: Readonly<Record<string, number>> };
  readonly certificates?: { readonly serverAltDNSNames: readonly string[] };
};
type Part = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: Spec;
  /** Of a ConfigMap. */
  readonly data?: Readonly<Record<string, string>>;
};

const parts = Bun.YAML.parse(readFileSync(join(root, 'deploy/kubernetes.yaml'), 'utf8')) as readonly Part[];
const part = (kind: string, name = 'shelf'): Part => {
  const found = parts.find((one) => one.kind === kind && one.metadata.name === name);
  if (found === undefined) throw new Error(`there is no ${kind} ${name}`);
  return found;
};

describe.skipIf(missing !== undefined)('the schemas', () => {
  test.each(parts.map((one) => [one.kind, one.metadata.name, one] as const))(
    'accept %s %s',
    async (_kind, _name, one) => {
      await validate(one);
    },
  );

  test('refuse a wrong value', async () => {
    const wrong = { ...part('Deployment'), spec: { ...part('Deployment').spec, replicas: 'two' as unknown as number } };
    await expect(validate(wrong)).rejects.toThrow(/replicas/);
    const database = part('Cluster', 'shelf-database');
    const empty = { ...database, spec: { ...database.spec, instances: 0 } };
    await expect(validate(empty)).rejects.toThrow(/instances/);
  });

  test('have every field', async () => {
    expect(await typeMistakes(parts)).toBe('');
    const misspelled = { ...part('Deployment'), spec: { ...part('Deployment').spec, replica: 2 } };
    expect(await typeMistakes([misspelled])).toMatch(/replica\W+does not exist/);
  }, 60_000);
});

describe('the parts', () => {
  const { spec } = part('Deployment');
  const pod = spec.template as Pod;
  const [shelf, migrate] = [pod.spec.containers[0] as Container, pod.spec.initContainers[0] as Container];
  const environmentOf = ({ env }: Container) =>
    Object.fromEntries(
      env.map(({ name, value = 'secret' }) => [name, value.replace('$(DATABASE_PASSWORD)', 'secret')]),
    );
  /** A copy of the file that a ConfigMap mounts at this path. */
  function fileAt({ volumeMounts }: Container, path: string): string {
    const mount = volumeMounts.find(({ mountPath }) => mountPath === dirname(path));
    const volume = pod.spec.volumes.find(({ name }) => name === mount?.name);
    const { data } = part('ConfigMap', volume?.configMap?.name);
    const copy = join(temporaryFolder(), basename(path));
    writeFileSync(copy, data?.[basename(path)] ?? '');
    return copy;
  }
  const hostsOf = (container: Container) =>
    serversOf(environmentOf(container).DATABASE_URL ?? '').map((url) => new URL(url).hostname);

  test('have settings that Shelf knows, with valid values', () => {
    const known = [...allSettings.map(({ env }) => env), 'DATABASE_PASSWORD'];
    for (const container of [shelf, migrate]) {
      for (const { name } of container.env) expect(known).toContain(name);
      const { DATABASE_URL = '', SHELF_CONFIG = '', ...environment } = environmentOf(container);
      // The files with the certificate and the collections are not on this machine.
      const url = DATABASE_URL.replace(/&sslrootcert=[^&]*/, '');
      const config = fileAt(container, SHELF_CONFIG);
      const parsed = readCommand(container.args ?? [], { ...environment, DATABASE_URL: url, SHELF_CONFIG: config });
      expect('config' in parsed && parsed.config.database.url.kind).toBe('postgres');
      expect('collections' in parsed && parsed.collections.map(({ name }) => name)).toEqual([
        'items',
        'users',
        'books',
      ]);
    }
  });

  test('name every database server in a service, in its certificate and in both URLs', () => {
    const database = part('Cluster', 'shelf-database');
    const names = Array.from({ length: database.spec.instances ?? 0 }, (_, index) => `shelf-database-${index + 1}`);
    expect(database.spec.certificates?.serverAltDNSNames).toEqual(names);
    for (const container of [shelf, migrate]) expect(hostsOf(container)).toEqual(names);
    for (const name of names) expect(part('Service', name).spec.selector).toEqual({ 'cnpg.io/instanceName': name });
  });

  test('select the pods', () => {
    for (const selector of [spec.selector?.matchLabels, part('PodDisruptionBudget').spec.selector?.matchLabels])
      expect(selector).toEqual(pod.metadata.labels);
    expect(part('Service').spec.selector).toEqual(pod.metadata.labels);
  });

  test('replace an instance only when another one serves, and let it finish its requests', () => {
    expect(spec.strategy?.rollingUpdate).toEqual({ maxSurge: 1, maxUnavailable: 0 });
    expect(spec.replicas).toBeGreaterThan(part('PodDisruptionBudget').spec.minAvailable ?? 0);
    expect([shelf.livenessProbe?.httpGet.path, shelf.readinessProbe?.httpGet.path]).toEqual(['/healthz', '/readyz']);
    const parsed = readCommand([], { SHELF_DRAIN: environmentOf(shelf).SHELF_DRAIN });
    const drainMs = 'config' in parsed ? parsed.config.server.drain : 0;
    const { periodSeconds = 0, failureThreshold = 0 } = shelf.readinessProbe ?? {};
    // New connections go elsewhere before the server stops, and requests in flight have ten seconds more.
    expect(drainMs).toBeGreaterThan(2 * 1000 * periodSeconds * failureThreshold);
    expect(1000 * pod.spec.terminationGracePeriodSeconds).toBeGreaterThan(drainMs + 10_000);
  });
});
