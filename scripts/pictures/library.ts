/** The configuration file and the records that the pictures show. */

const collections = {
  authors: { singular: 'author', fields: { name: { type: 'text', max: 200 }, born: { type: 'date', optional: true } } },
  books: {
    singular: 'book',
    fields: {
      title: { type: 'text', max: 200 },
      author: { type: 'reference', to: 'authors' },
      state: { type: 'choice', of: ['draft', 'published', 'out of print'], default: 'draft' },
      price: { type: 'decimal', scale: 2, min: '0' },
      pages: { type: 'integer', min: 1, optional: true },
      isbn: { type: 'text', pattern: '^[0-9]{13}$', max: 13, unique: true },
      tags: { type: 'list', of: 'text', max: 20, default: [] },
      published_on: { type: 'date', optional: true },
    },
    indexes: ['state', 'price'],
  },
};

/** The configuration file, with a line for each field. */
export const text = `{
  "items": false,
  "users": false,
  "collections": {
${Object.entries(collections).map(collectionText).join(',\n')}
  }
}
`;

function collectionText([name, { fields, ...options }]: [string, { readonly fields: object }]): string {
  const lines = Object.entries(fields).map(([field, declared]) => `        "${field}": ${JSON.stringify(declared)}`);
  const members = Object.entries(options).map(([key, value]) => `      "${key}": ${JSON.stringify(value)}`);
  return `    "${name}": {\n${[...members, `      "fields": {\n${lines.join(',\n')}\n      }`].join(',\n')}\n    }`;
}

const authors = ['Jorge Luis Borges', 'Ursula K. Le Guin', 'Italo Calvino', 'Clarice Lispector', 'Stanisław Lem'];
const titles = [
  ['Ficciones', 'El Aleph', 'El libro de arena', 'El hacedor'],
  ['The Dispossessed', 'The Left Hand of Darkness', 'The Lathe of Heaven', 'Always Coming Home'],
  ['Le città invisibili', 'Il barone rampante', 'Se una notte d’inverno un viaggiatore', 'Palomar'],
  ['A hora da estrela', 'Água viva', 'Perto do coração selvagem', 'Laços de família'],
  ['Solaris', 'Cyberiada', 'Niezwyciężony', 'Głos Pana'],
];

export async function seed(url: string): Promise<void> {
  const add = async (name: string, record: object) => {
    const answer = await fetch(`${url}/api/v2/${name}`, { method: 'POST', body: JSON.stringify(record) });
    if (!answer.ok) throw new Error(await answer.text());
  };
  for (const name of authors) await add('authors', { name });
  for (let number = 0; number < 120; number++) {
    const author = number % authors.length;
    const edition = Math.floor(number / 20);
    const title = titles[author]?.[Math.floor(number / authors.length) % 4] ?? '';
    await add('books', {
      title: edition === 0 ? title : `${title} (${edition + 1}. edition)`,
      author: author + 1,
      state: ['published', 'published', 'draft', 'out of print'][number % 4],
      price: (5 + ((number * 317) % 3490) / 100).toFixed(2),
      pages: number % 9 === 0 ? null : 120 + ((number * 53) % 480),
      isbn: String(9780802130000 + number),
      tags: number % 3 === 0 ? ['classic'] : number % 3 === 1 ? ['new', 'translated'] : [],
      published_on: `19${40 + (number % 55)}-0${1 + (number % 9)}-15`,
    });
  }
}
