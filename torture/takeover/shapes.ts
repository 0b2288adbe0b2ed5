/** Two declarations of one collection: each change renames a field, converts another, and adds or removes a third. */

export const shapes = {
  old: { title: { type: 'text', max: 100, was: 'name' }, pages: 'integer' },
  new: { name: { type: 'text', max: 100, was: 'title' }, pages: 'text', mark: { type: 'integer', default: 7 } },
};
export type Shape = keyof typeof shapes;

export const textOf = (shape: Shape) =>
  `{ "collections": { "books": ${JSON.stringify({ singular: 'book', fields: shapes[shape] })} } }\n`;
/** What a change may have to be allowed. */
export const allowed = ['type:books.pages', 'drop:books.mark'];
export const other = (shape: Shape): Shape => (shape === 'old' ? 'new' : 'old');

export type Book = Readonly<Record<string, unknown>>;

export function bodyOf(shape: Shape, key: string, pages: number): Book {
  return shape === 'old' ? { title: key, pages } : { name: key, pages: String(pages) };
}

export const keyOf = ({ title, name }: Book) => String(title ?? name);

/** The shape of a whole record; undefined for one that mixes both. */
export function shapeOf(book: Book): Shape | undefined {
  if ('title' in book && typeof book.pages === 'number' && !('name' in book) && !('mark' in book)) return 'old';
  if ('name' in book && typeof book.pages === 'string' && 'mark' in book && !('title' in book)) return 'new';
  return undefined;
}
