import { expect, test } from 'bun:test';
import { madeAnew, textForms } from './text-forms.ts';

test('each form is made once', () => {
  const forms = textForms();
  expect(forms.words('one two')).toBe(forms.words('one two'));
  expect(forms.words('one')).not.toBe(forms.words('two'));
  expect([forms.folded('STRASSE'), forms.folded('STRASSE'), forms.folded('Ä')]).toEqual(['strasse', 'strasse', 'ä']);
  let reads = 0;
  const read = (list: string) => {
    reads++;
    return new Set(JSON.parse(list) as string[]);
  };
  for (const list of ['["a"]', '["a"]', '["b"]']) expect(forms.elements(list, read).has('a')).toBe(list === '["a"]');
  expect(reads).toBe(2);
});

test('without others that share it, it is made anew', () => {
  expect(madeAnew.words('one')).not.toBe(madeAnew.words('one'));
});
