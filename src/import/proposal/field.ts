/** A field that all values of a column fit, and why. */
import type { Counted, Evidence } from './evidence.ts';
import { type Form, forms } from './forms.ts';

/** As in a declaration. */
export type ProposedField = {
  readonly type: string;
  readonly optional?: true;
  readonly unique?: true;
  readonly scale?: number;
  readonly max?: number;
  readonly of?: string | readonly string[];
};

export type FieldProposal = { readonly field: ProposedField; readonly because: string };

/** A text with few values that come again so often, on average, is a choice. */
const repeatsOfChoice = 5;
/** The longest text that is a choice. */
const longestChoice = 40;
/** A type that most values have, but not all: the others may be mistakes. */
const shareOfMost = 0.9;
/** Bounds of a unique text, which has to have one. */
const bounds = [20, 50, 100, 200, 500];
/** Of 64 bits without the point. */
const maxDigits = 18;

/** Names of codes: digits that are no amount, and may begin with a zero in the next file. */
const code = /(?:^|_)(?:isbn|issn|ean|gtin|upc|sku|zip|zipcode|postcode|postal_code|phone|fax|iban|code)$/;
/** Names of values that no two records have. */
const identity =
  /(?:^|_)(?:isbn|issn|ean|gtin|upc|sku|code|key|slug|email|username|login|uuid|guid|iban)$|^original_id$/;

const typeOfForm: Readonly<Record<Form, string>> = {
  boolean: 'boolean',
  integer: 'integer',
  decimal: 'decimal',
  number: 'number',
  date: 'date',
  timestamp: 'timestamp',
  list: 'list',
  structure: 'json',
  text: 'text',
  json: 'json',
};

/** `name` is that of the field. */
export function proposeField(name: string, evidence: Evidence): FieldProposal {
  const { count, empty, firstEmpty } = evidence;
  const optional = empty > 0 || count === 0 ? { optional: true as const } : {};
  if (count === 0) return { field: { type: 'text', ...optional }, because: 'no values, so it may be anything' };
  const form = code.test(name) && evidence.isAlways('text') ? 'text' : formOf(evidence);
  const { field, because } = ofForm(form, evidence);
  const unique = isUnique(name, field.type, evidence);
  const max = unique && field.type === 'text' ? boundFor(evidence.longest.text.length) : undefined;
  const reasons = [
    because,
    almost(form, evidence),
    commas(evidence),
    unique ? 'all different' : undefined,
    empty > 0 ? `${empty} empty, the first on line ${firstEmpty}` : undefined,
  ];
  return {
    field: { ...field, ...(max === undefined ? {} : { max }), ...optional, ...(unique ? { unique } : {}) },
    because: reasons.filter((one) => one !== undefined).join('; '),
  };
}

function formOf(evidence: Evidence): Form {
  return forms.find((form) => evidence.isAlways(form) && (form !== 'decimal' || isDecimal(evidence))) ?? 'text';
}

/** Digits without a point in text are no amount. */
function isDecimal({ mostPlaces: { places }, mostDigits }: Evidence): boolean {
  return places > 0 && mostDigits + places <= maxDigits;
}

function ofForm(form: Form, evidence: Evidence): FieldProposal {
  const { count, longest, mostPlaces } = evidence;
  const type = typeOfForm[form];
  if (form === 'decimal') {
    const { places, line, text } = mostPlaces;
    return {
      field: { type, scale: places },
      because: `${count} decimals with at most ${amount(places, 'place')}: ${text} on line ${line}`,
    };
  }
  if (form === 'list') {
    const { elements } = evidence;
    const of = elements.count === 0 ? 'text' : typeOfElements(elements);
    return { field: { type, of }, because: `${amount(count, 'list')} with ${amount(elements.count, 'element')}` };
  }
  if (form === 'text') {
    const choices = choicesIn(evidence);
    if (choices !== undefined) return { field: { type: 'choice', of: choices.of }, because: choices.because };
    const length = amount(longest.text.length, 'character');
    return { field: { type }, because: `${amount(count, 'text')} of at most ${length}, on line ${longest.line}` };
  }
  const several: Readonly<Partial<Record<Form, string>>> = { structure: 'JSON value', json: 'JSON value' };
  return { field: { type }, because: amount(count, several[form] ?? form) };
}

/** A list has elements of one type; a decimal needs an option, and text has the same digits. */
function typeOfElements(elements: Evidence): string {
  const type = typeOfForm[formOf(elements)];
  return type === 'decimal' || type === 'json' || type === 'list' ? 'text' : type;
}

function choicesIn({ count, choices, longest }: Evidence) {
  if (choices === undefined || choices.size < 2 || choices.has('') || longest.text.length > longestChoice)
    return undefined;
  if (count < choices.size * repeatsOfChoice) return undefined;
  const often = [...choices].sort(([, one], [, other]) => other - one);
  const shown = often.map(([text, times]) => `${times} × ${text}`).join(', ');
  return { of: often.map(([text]) => text), because: `${choices.size} different texts: ${shown}` };
}

/** A type that only a few values do not have: probably mistakes in the file. */
function almost(form: Form, evidence: Evidence): string | undefined {
  const { count } = evidence;
  for (const stricter of forms.slice(0, forms.indexOf(form))) {
    const without = evidence.exceptionsTo(stricter);
    if (without === undefined || count - without.count < count * shareOfMost) continue;
    return `${count - without.count} of them are ${typeOfForm[stricter]}s, but not ${shown(without.first)}`;
  }
  return undefined;
}

function commas({ haveCommas, firstComma }: Evidence): string | undefined {
  if (!haveCommas || firstComma === undefined) return undefined;
  return `numbers with a decimal comma, ${shown(firstComma)}: with a point they are decimals`;
}

function isUnique(name: string, type: string, evidence: Evidence): boolean {
  if (!identity.test(name) || !evidence.areDifferent || evidence.count < 2) return false;
  return type === 'integer' || (type === 'text' && boundFor(evidence.longest.text.length) !== undefined);
}

function boundFor(length: number): number | undefined {
  return bounds.find((bound) => bound >= length);
}

function shown({ text, line }: Counted): string {
  return `${JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text)} on line ${line}`;
}

function amount(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
