/** The text of --help, from the table of settings. */
import { settings } from './config.ts';

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

Options (a flag beats its environment variable):
${lines.join('\n')}
`;
}
