import { expect, test } from 'bun:test';
import { startedAs } from './started-as.ts';

const start = {
  args: [],
  environment: {},
  executable: '/usr/bin/bun',
  script: '/srv/shelf/src/cli/main.ts',
  file: undefined,
};

test('the way of starting', () => {
  expect(startedAs(start).program).toBe('npm run --silent shelf --');
  expect(startedAs({ ...start, script: '/$bunfs/root/main.js', executable: '/opt/shelf-linux' }).program).toBe(
    './shelf-linux',
  );
  const script = '/usr/lib/node_modules/shelf/dist/server/cli/main.js';
  expect(startedAs({ ...start, script }).program).toBe('shelf');
  expect(startedAs({ ...start, script, environment: { npm_command: 'exec' } }).program).toBe('npx shelf');
});

test('the flags that other commands need', () => {
  expect(
    startedAs({
      ...start,
      args: ['--port', '8000', '--port=8123', '--database', "sqlite:it's here.db", '--auth', 'off'],
      environment: { SHELF_HOST: '127.0.0.2' },
      file: 'shelf.json',
    }),
  ).toMatchObject({
    data: "--config shelf.json --database 'sqlite:it'\\''s here.db'",
    address: '--host 127.0.0.2 --port 8123',
  });
  expect(startedAs(start)).toMatchObject({ data: '', address: '' });
});

test('a password is in no answer', () => {
  const environment = { SHELF_DATABASE: 'postgres://shelf:secret@db/shelf' };
  expect(startedAs({ ...start, environment }).data).toBe('');
});
