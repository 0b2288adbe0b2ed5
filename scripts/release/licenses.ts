/** The licenses of everything that an artifact contains besides Shelf. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Bundled, bundledPackages, licenseFiles } from './bundled.ts';
import { insideOf } from './inner-parts.ts';
import { licensePage, runtimeParts } from './runtime-parts.ts';

function ofPackage(one: Bundled): string[] {
  const { parts, notices } = insideOf(one);
  const names = parts.map(({ name, version }) => (version === undefined ? name : `${name} ${version}`));
  const inside = names.length === 0 ? [] : [`Its bundle contains: ${names.join(', ')}.`];
  return [`# ${one.name} ${one.version}`, ...licenseFiles(one), ...inside, ...notices];
}

/** Of the npm packages in the bundles. */
export async function licenses(): Promise<string> {
  return (await bundledPackages()).flatMap(ofPackage).join('\n\n');
}

function partsOfRuntime(): string {
  const lines = runtimeParts().map(
    ({ name, version = 'version unknown', license, url }) => `- ${name}, ${version}: ${license} (${url})`,
  );
  return ['What is inside, as it reports it:', '', ...lines].join('\n');
}

/** The parts of the runtime come without their license files: the standard text of each license is in `texts`. */
function texts(): string[] {
  const ids = new Set(runtimeParts().flatMap(({ spdx }) => spdx?.split(' AND ') ?? []));
  return [...ids].sort().flatMap((id) => {
    const text = readFileSync(join(import.meta.dir, 'texts', `${id}.txt`), 'utf8');
    return [`# The text of ${id}`, text.trim()];
  });
}

/** Also of the runtime, which the executables contain: its own page names its parts, and how to link it again. */
export async function executableLicenses(): Promise<string> {
  return `${[await licenses(), `# bun ${Bun.version}`, licensePage(), partsOfRuntime(), ...texts()].join('\n\n')}\n`;
}
