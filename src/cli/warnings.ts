/** Warnings before a command runs: settings that work, but are less safe than they look. */
import { databaseFile } from './environment.ts';
import { hasPassword } from './secrets.ts';
import { allSettings, settings } from './settings/settings.ts';
import type { Optional } from './settings/values.ts';

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
