/** Warnings before a command runs: settings that work, but are less safe than they look. */
import { declarationsOf } from '../../declarations/plan.ts';
import { slowPatterns } from '../../declarations/slow-patterns.ts';
import type { Collection } from '../../domain/record/collection.ts';
import type { Optional } from '../settings/setting.ts';
import { allSettings, settings } from '../settings/settings.ts';
import { databaseFile } from './environment.ts';
import { hasPassword } from './secrets.ts';

type Tokens = Readonly<Record<'jwtIssuer' | 'jwtKeys' | 'jwtAudience', Optional<string>>>;

/** For every command. */
export function flagWarnings(flags: ReadonlyMap<string, string>): string[] {
  const database = settings.database.url;
  const others = ['--from', '--to'].map((flag) => ({ flag, env: `${database.env} or ${databaseFile}` }));
  const exposed = [...allSettings, ...others].filter(({ flag }) => hasPassword(flags.get(flag) ?? ''));
  return exposed.map(({ flag, env }) => {
    const instead = flag === database.flag ? `${env} or ${databaseFile}` : env;
    return `Warning: the password in ${flag} is visible to every user of this machine (ps): set ${instead} instead.`;
  });
}

/** For a server. */
export function tokenWarnings({ jwtIssuer, jwtKeys, jwtAudience }: Tokens): string[] {
  if (jwtIssuer.value === undefined || jwtKeys.value === undefined) return [];
  const warnings: string[] = [];
  if (/^http:/i.test(jwtKeys.value)) {
    warnings.push(
      'Warning: --jwt-keys is fetched over http: an attacker on the network can replace the keys and forge tokens. Use https or a file.',
    );
  }
  if (jwtAudience.value === undefined) {
    warnings.push(
      `Warning: --jwt-issuer without --jwt-audience: tokens that ${jwtIssuer.value} issues for other services are accepted, too. ` +
        'Set --jwt-audience.',
    );
  }
  return warnings;
}

/** For a server whose database has patterns of an earlier release. */
export function patternWarning(collections: readonly Collection[]): string | undefined {
  const slow = slowPatterns(declarationsOf(collections)).map(
    ({ collection, field, why }) => `${collection}.${field} (it ${why})`,
  );
  if (slow.length === 0) return undefined;
  return `Warning: some texts take very long to match the pattern of ${slow.join(', ')}, and other requests wait for that: write it otherwise.`;
}
