/** The schemas of Kubernetes and of CloudNativePG, from npm. */
import { existsSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { npmCi } from '../../scripts/tools/npm-ci.ts';
import { temporaryFolder } from '../support/data/folder.ts';
import { runCommand } from '../support/servers/command.ts';
import { root } from '../support/servers/process.ts';

export type Manifest = { readonly apiVersion: string; readonly kind: string };

const folder = import.meta.dir;
const modules = join(folder, 'node_modules');
export const missing = existsSync(modules) ? undefined : npmCi(folder);
if (missing !== undefined) process.stderr.write(`\n!!! SKIPPED: the schemas of Kubernetes, because ${missing}\n`);

/** The module of a kind, which has the compiled schema and the type of its fields. */
const moduleOf = ({ apiVersion, kind }: Manifest) =>
  `${apiVersion.startsWith('postgresql.cnpg.io') ? '@kubernetes-models/cloudnative-pg' : 'kubernetes-models'}/${apiVersion}/${kind}`;

export async function validate(one: Manifest): Promise<void> {
  const loaded = await import(join(modules, `${moduleOf(one)}.js`));
  new loaded[one.kind](one).validate();
}

/** The mistakes that the types find: unlike the schemas, they refuse unknown fields. */
export async function typeMistakes(all: readonly Manifest[]): Promise<string> {
  const file = join(temporaryFolder(), 'manifest.ts');
  const lines = all.map((one, index) => {
    const type = join(modules, moduleOf(one));
    return `import type { I${one.kind} as T${index} } from '${type}';\nexport const part${index}: T${index} = ${JSON.stringify(one)};\n`;
  });
  writeFileSync(file, lines.join(''));
  writeFileSync(
    join(dirname(file), 'tsconfig.json'),
    JSON.stringify({
      compilerOptions: { strict: true, noEmit: true, skipLibCheck: true, module: 'nodenext', types: [] },
      files: [file],
    }),
  );
  const { stdout } = await runCommand([process.execPath, 'x', 'tsc', '-p', dirname(file)], { cwd: root });
  return stdout;
}
