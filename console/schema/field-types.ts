/** The types of fields and their options, in the words of the documentation. */

export type Option = {
  readonly name: string;
  readonly label: string;
  readonly hint: string;
  /** `scalar`: a value of the type. `names`: a text in each line. `element`: a type with its options. `field`: one, or none. */
  readonly input:
    | 'flag'
    | 'line'
    | 'count'
    | 'scalar'
    | 'value'
    | 'names'
    | 'element'
    | 'collection'
    | 'deletion'
    | 'field';
};

type TypeWords = { readonly type: string; readonly words: string; readonly options: readonly Option[] };

const bounds = (of: string, input: Option['input']): readonly Option[] => [
  { name: 'min', label: 'At least', hint: of, input },
  { name: 'max', label: 'At most', hint: of, input },
];
const unique: Option = { name: 'unique', label: 'Unique', hint: 'No two records have the same value', input: 'flag' };
const search: Option = {
  name: 'search',
  label: 'Words can be searched',
  hint: 'In any case and without accents. It makes writes a little slower',
  input: 'flag',
};

const ofEveryType: readonly Option[] = [
  { name: 'optional', label: 'Optional', hint: 'A record may leave it out, or have no value', input: 'flag' },
  { name: 'default', label: 'Default', hint: 'The value if a new record leaves it out', input: 'value' },
  { name: 'title', label: 'Title', hint: 'For people: in the documentation and in clients', input: 'line' },
  { name: 'description', label: 'Description', hint: 'What it means, for people', input: 'line' },
];

export const fieldTypes: readonly TypeWords[] = [
  {
    type: 'text',
    words: 'any text',
    options: [
      ...bounds('characters', 'count'),
      {
        name: 'pattern',
        label: 'Pattern',
        hint: 'A regular expression: write ^ and $ to match all of it',
        input: 'line',
      },
      unique,
      search,
    ],
  },
  { type: 'integer', words: 'a 64-bit integer, every digit kept', options: [...bounds('', 'scalar'), unique] },
  { type: 'number', words: 'a double; for money, use decimal', options: bounds('', 'scalar') },
  {
    type: 'decimal',
    words: 'an exact number with a fixed number of places',
    options: [
      { name: 'scale', label: 'Places', hint: 'After the point: 0 to 9', input: 'count' },
      ...bounds('', 'scalar'),
      unique,
    ],
  },
  { type: 'boolean', words: 'true or false', options: [] },
  { type: 'date', words: 'a day without a time', options: [...bounds('a day', 'scalar'), unique] },
  { type: 'timestamp', words: 'a point in time', options: [unique] },
  {
    type: 'choice',
    words: 'one of some texts',
    options: [{ name: 'of', label: 'Choices', hint: 'One in each line', input: 'names' }, unique],
  },
  {
    type: 'list',
    words: 'values of one type',
    options: [
      { name: 'of', label: 'Of', hint: 'The type of its elements', input: 'element' },
      ...bounds('elements', 'count'),
    ],
  },
  { type: 'json', words: 'any JSON', options: [{ name: 'max', label: 'At most', hint: 'bytes', input: 'count' }] },
  {
    type: 'reference',
    words: 'a record of a collection',
    options: [
      { name: 'to', label: 'To', hint: 'The collection of the record', input: 'collection' },
      {
        name: 'on_delete',
        label: 'If that record is deleted',
        hint: 'The one that this field names',
        input: 'deletion',
      },
      unique,
    ],
  },
];

/** Those that this type has, the most used first. */
export function optionsOf(type: string): readonly Option[] {
  return [...(fieldTypes.find((one) => one.type === type)?.options ?? []), ...ofEveryType];
}

/** Types that a list can have. */
export const elementTypes = fieldTypes
  .map(({ type }) => type)
  .filter((type) => !['list', 'json', 'reference'].includes(type));

/** Those of its type alone. */
export function elementOptionsOf(type: string): readonly Option[] {
  return optionsOf(type).filter((one) => one !== unique && one !== search && !ofEveryType.includes(one));
}

export const deletionWords: Readonly<Record<string, string>> = {
  restrict: 'the deletion is refused',
  clear: 'this field becomes empty',
  cascade: 'this record is deleted, too',
};
