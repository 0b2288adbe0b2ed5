/** Commands for a shell, as they work on this server: with its way of starting, its files, its settings and its certificate. */
import { session, startedAs } from '../state/session.ts';

const joined = (...words: readonly string[]) => words.filter((word) => word !== '').join(' ');

/** A command that reaches the server by its address. */
export function command(words: string): string {
  const { program, trust } = startedAs();
  return joined(trust === '' ? '' : `NODE_EXTRA_CA_CERTS=${trust}`, program, words);
}

export function typesCommand(): string {
  const { program, start, data } = startedAs();
  // Inside of a container the server has another address.
  const types = start === '' ? joined(program, 'types', data) : command(`types --url ${location.origin}`);
  return `${types} > shelf.d.ts`;
}

export function firstKeyCommands(): string {
  const { program, data, others } = startedAs();
  return [
    joined(program, 'keys create --name admin --scope admin', data),
    ...startAgain('with keys', joined(data, others, '--auth write')),
  ].join('\n');
}

/** Undefined if there is a configuration file already. */
export function ownCollectionsCommands(): string | undefined {
  const { program, data, others } = startedAs();
  if (/^--config /.test(data)) return undefined;
  const current = session.value;
  const auth = current.kind === 'open' && current.me.auth !== 'off' ? `--auth ${current.me.auth}` : '';
  return [
    joined(program, 'init'),
    ...startAgain('with the file', joined('--config shelf.json', data, others, auth)),
  ].join('\n');
}

function startAgain(how: string, flags: string): readonly string[] {
  const { start } = startedAs();
  if (start === '') return [`# Start the container again ${how}, that is with these arguments:`, `# ${flags}`];
  return [`# Stop the server, and start it again ${how}:`, joined(start, flags)];
}
