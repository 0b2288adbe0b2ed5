import { expect, test } from 'bun:test';
import { escapeHtml, page } from './page.ts';

test('text is escaped', () => {
  expect(escapeHtml(`<a href="x" title='y'>&`)).toBe('&#60;a href=&#34;x&#34; title=&#39;y&#39;&#62;&#38;');
  expect(new TextDecoder().decode(page('</title><script>', '', '').body as Uint8Array)).toContain(
    '<title>&#60;/title&#62;&#60;script&#62;</title>',
  );
});
