import { expect, test } from 'bun:test';
import type { Store } from '../../domain/store/store.ts';
import { storeFigures } from './store-figures.ts';

test('each figure says what it is', () => {
  for (const { help } of storeFigures({} as Store, [])) expect(help).toMatch(/^[A-Z].*\.$/);
});
