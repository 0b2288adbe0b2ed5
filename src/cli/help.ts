/** The text of --help, from the table of settings. */
import { settings } from './settings.ts';

export function helpText(): string {
  const rows = [
    ...Object.values(settings).map(({ flag, value, help, env, default: preset }) => ({
      left: `${flag} ${value}`,
      right: [help, `Default ${preset}. Environment: ${env}.`],
    })),
    { left: '--help', right: ['Show this and stop.'] },
    { left: '--version', right: ['Show the version and stop.'] },
  ];
  const width = Math.max(...rows.map(({ left }) => left.length)) + 2;
  const lines = rows.flatMap(({ left, right }) =>
    right.map((text, index) => `  ${(index === 0 ? left : '').padEnd(width)}${text}`),
  );
  return `Shelf: collections of records, as JSON over HTTP.

Usage: shelf [options]          from a checkout: npm start -- [options]
       shelf migrate [options]  brings the tables of a database up to date, and ends
       shelf keys create --name NAME --scope read|write|admin [--collections NAMES] [--expires 90d] [--database URL]
       shelf keys list [--database URL]
       shelf keys revoke NAME [--database URL]
       shelf backup FILE [--database URL]  copies a SQLite database, also while it is served, and checks the copy
                                from a checkout: npm run shelf -- keys ...

Options (a flag beats its environment variable; a SWITCH is on or off, and on where it is left out):
${lines.join('\n')}
`;
}
