/** The help texts, which --help prints. */
import { expect, test } from 'bun:test';
import { allSettings } from '../settings/settings.ts';
import { readCommand, topics } from './config.ts';
import { helpText } from './help.ts';

const general = helpText('serve');
const switches = ['--help', '--version', '--dry-run', '--atomic', '--again'];

test('the help text names every setting with its variable and default', () => {
  for (const { flag, env, default: preset, help } of allSettings) {
    for (const part of [flag, env, preset, help]) expect(general).toContain(part);
  }
});

test.each(topics)('the help text of %s names the value of each option', (topic) => {
  const options = [...helpText(topic).matchAll(/^ {2}(--\S+) (\S*)/gm)];
  expect(options.length).toBeGreaterThan(1);
  for (const [line, flag = '', value] of options)
    expect([line, value]).toEqual([
      line,
      switches.includes(flag) ? '' : expect.stringMatching(/^[A-Z]+(=[A-Z]+|,\.{3})?$/),
    ]);
});

test.each(topics.filter((topic) => topic !== 'serve'))('the help text of %s is specific to it', (topic) => {
  expect(readCommand([...topic.split(' '), '--help'], {})).toEqual({ kind: 'help', topic });
  const text = helpText(topic);
  expect(text).toStartWith(`Usage: shelf ${topic}`);
  const usesDatabase = !['init', 'generate', 'check', 'health', 'types'].includes(topic);
  expect(text.includes('DATABASE_URL or DATABASE_URL_FILE')).toBe(usesDatabase);
  expect(text.includes('--port')).toBe(topic === 'health');
  expect(text.includes('--scope SCOPE')).toBe(topic === 'keys create');
  if (topic !== 'keys') expect(general).toContain(text.split('\n')[0]?.replace('Usage: ', '') ?? '');
});
