/** What texts and lists are compared as. It takes long to make for a long text, so many conditions on one record share it. */
import { Words } from '../words/words.ts';
import { folded } from './case-folding.ts';

type Elements = ReadonlySet<string>;

export type TextForms = {
  /** Without case. */
  folded(text: string): string;
  words(text: string): Words;
  /** `read` reads the list. */
  elements(list: string, read: (list: string) => Elements): Elements;
};

/** For few conditions: makes each form when it is needed. */
export const madeAnew: TextForms = {
  folded,
  words: (text) => new Words(text),
  elements: (list, read) => read(list),
};

/** For many conditions: makes each form once. */
export function textForms(): TextForms {
  const [foldedTexts, words, elements] = [
    new Map<string, string>(),
    new Map<string, Words>(),
    new Map<string, Elements>(),
  ];
  return {
    folded: (text) => once(foldedTexts, text, folded),
    words: (text) => once(words, text, (one) => new Words(one)),
    elements: (list, read) => once(elements, list, read),
  };
}

function once<Form>(made: Map<string, Form>, text: string, make: (text: string) => Form): Form {
  const known = made.get(text);
  if (known !== undefined) return known;
  const form = make(text);
  made.set(text, form);
  return form;
}
