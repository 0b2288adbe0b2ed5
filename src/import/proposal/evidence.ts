/** What the values of one column, or of one member, have in common. Takes the same memory for a million of them. */
import { elementsOf } from '../../exact/json-text.ts';
import { type Form, forms, hasForm, jsonValue, placesOf, type Value } from './forms.ts';

/** More different texts are no choice. */
const maxChoices = 12;
/** As people write numbers where the decimal separator is a comma. */
const withComma = /^-?\d+,\d+$/;
const whole = /^-?\d+$/;

/** Of which it is remembered that they are all different. */
const maxDifferent = 200_000;

export type Counted = { readonly text: string; readonly line: number };

export class Evidence {
  /** Values that are not empty. */
  count = 0;
  /** The line of the first empty one. */
  firstEmpty = 1;
  /** Which values do not have a form: how many, and the first. */
  readonly #without = new Map<Form, { count: number; readonly first: Counted }>();
  longest: Counted = { text: '', line: 0 };
  /** With the most places after the point. */
  mostPlaces: Counted & { readonly places: number } = { text: '', line: 0, places: 0 };
  /** Digits before the point. */
  mostDigits = 0;
  /** Digits with a decimal comma, or without a separator. */
  #numbersWithComma = 0;
  firstComma: Counted | undefined;
  /** How often there is each text; undefined if there are too many. */
  choices: Map<string, number> | undefined = new Map();
  #different: Set<string> | undefined = new Set();
  /** The first value that an earlier one has, too. */
  firstRepeated: Counted | undefined;
  #elements: Evidence | undefined;

  /** `empty`: rows before the first one that has the member. */
  constructor(public empty = 0) {}

  add(value: Value): void {
    this.count++;
    const { text, line } = value;
    for (const form of forms) {
      if (hasForm(form, value)) continue;
      const without = this.#without.get(form);
      if (without === undefined) this.#without.set(form, { count: 1, first: { text, line } });
      else without.count++;
    }
    if (text.length > this.longest.text.length) this.longest = { text, line };
    this.#measure(text, line);
    this.#compare(text, line);
    if (this.isAlways('list')) {
      this.#elements ??= new Evidence();
      // A list with null is no list of one type.
      for (const one of elementsOf(text)) {
        const element = jsonValue(one, line);
        if (element !== undefined) this.#elements.add(element);
      }
    }
  }

  addEmpty(line: number): void {
    if (this.empty === 0) this.firstEmpty = line;
    this.empty++;
  }

  isAlways(form: Form): boolean {
    return this.count > 0 && !this.#without.has(form);
  }

  /** Of values without this form; undefined if all have it. */
  exceptionsTo(form: Form): { readonly count: number; readonly first: Counted } | undefined {
    return this.#without.get(form);
  }

  /** All are numbers to a person, and not to a program. */
  get haveCommas(): boolean {
    return this.firstComma !== undefined && this.#numbersWithComma === this.count;
  }

  /** Of all lists together. */
  get elements(): Evidence {
    return this.#elements ?? new Evidence();
  }

  /** As far as it is known. */
  get areDifferent(): boolean {
    return this.#different !== undefined && this.firstRepeated === undefined;
  }

  #measure(text: string, line: number): void {
    const isComma = withComma.test(text);
    if (isComma) this.firstComma ??= { text, line };
    if (isComma || whole.test(text)) this.#numbersWithComma++;
    const places = this.isAlways('decimal') ? placesOf(text) : undefined;
    if (places === undefined) return;
    if (places > this.mostPlaces.places) this.mostPlaces = { text, line, places };
    this.mostDigits = Math.max(this.mostDigits, /^-?(\d+)/.exec(text)?.[1]?.length ?? 0);
  }

  #compare(text: string, line: number): void {
    this.choices?.set(text, (this.choices.get(text) ?? 0) + 1);
    if ((this.choices?.size ?? 0) > maxChoices) this.choices = undefined;
    if (this.firstRepeated !== undefined || this.#different === undefined) return;
    if (this.#different.has(text)) {
      this.firstRepeated = { text, line };
      this.#different = new Set();
    } else if (this.#different.size === maxDifferent) this.#different = undefined;
    else this.#different.add(text);
  }
}
