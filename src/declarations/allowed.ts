/** Steps that lose or change data, as an operator allows them: `drop:books.tags`, `type:books.pages`. */

const kinds = ['drop', 'type'];
const form = new RegExp(`^(${kinds.join('|')}):[a-z][a-z0-9_]*\\.[a-z][a-z0-9_]*$`);

/** What is wrong with the text, to follow the flag. */
export function parseAllowed(text: string): readonly string[] | string {
  const steps = text.split(',').filter((step) => step !== '');
  const wrong = steps.find((step) => !form.test(step));
  if (wrong === undefined) return steps;
  return `has ${JSON.stringify(wrong)}: write ${kinds.map((kind) => `${kind}:COLLECTION.FIELD`).join(' or ')}, separated by commas`;
}
