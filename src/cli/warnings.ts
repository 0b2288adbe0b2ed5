/** What an operator is warned of before anything starts: settings that work, and are less safe than they look. */
import { databaseFile } from './environment.ts';
import { hasPassword } from './secrets.ts';
import { allSettings, settings } from './settings/settings.ts';
import type { Given } from './settings/values.ts';

type Tokens = Readonly<Record<'jwtIssuer' | 'jwtKeys' | 'jwtAudience', Given<string>>>;

/** Of any command. */
export function flagWarnings(flags: ReadonlyMap<string, string>): string[] {
  const shown = allSettings.filter(({ flag }) => hasPassword(flags.get(flag) ?? ''));
  return shown.map(({ flag, env }) => {
    const instead = flag === settings.database.url.flag ? `${env} or ${databaseFile}` : env;
    return `Warning: the password in ${flag} is visible to every user of this machine (ps): set ${instead} instead.`;
  });
}

/** Of a server. */
export function tokenWarnings({ jwtIssuer, jwtKeys, jwtAudience }: Tokens): string[] {
  if (jwtIssuer.value === undefined || jwtKeys.value === undefined) return [];
  const warnings: string[] = [];
  if (/^http:/i.test(jwtKeys.value)) {
    warnings.push(
      'Warning: --jwt-keys is fetched over http: whoever can change it on its way can make tokens. Use https or a file.',
    );
  }
  if (jwtAudience.value === undefined) {
    warnings.push(
      `Warning: --jwt-issuer without --jwt-audience: tokens that ${jwtIssuer.value} makes for other services count here too. ` +
        'Set --jwt-audience.',
    );
  }
  return warnings;
}
