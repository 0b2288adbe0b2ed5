/** Commands for a shell, as they work on this server: with its way of starting, its files and its port. */
import { startedAs } from '../state/session.ts';

const joined = (...words: readonly string[]) => words.filter((word) => word !== '').join(' ');

/** A command that reaches the server by its address. */
export function command(words: string): string {
  return joined(startedAs().program, words);
}

export const typesCommand = () => command(`types --url ${location.origin} > shelf.d.ts`);

export function firstKeyCommands(): string {
  const { data, address } = startedAs();
  return [
    command(joined('keys create --name admin --scope admin', data)),
    '# Stop the server, and start it again with keys:',
    command(joined(data, address, '--auth write')),
  ].join('\n');
}

export function ownCollectionsCommands(): string {
  const { data, address } = startedAs();
  return [
    command('init'),
    '# Stop the server, and start it again with the file:',
    command(joined('--config shelf.json', data, address)),
  ].join('\n');
}
