/** The output of every program in `clients/`, except for the CSV export. */
export const expected = {
  made: 201,
  stale: '/problems/precondition-failed',
  price: 18.5,
  created: 2,
  names: ['Desk', 'Desk lamp'],
  total: 2,
  prices: [9.99, 20, 120, 45],
  missing: 404,
  contract: { id: 7, name: 'Grace' },
};

/** The output of every program in `clients/library/`. */
export const expectedOfLibrary = {
  made: {
    id: 1,
    title: 'Ficciones',
    isbn: '9780802130303',
    pages: 174,
    weight: 0.1,
    price: '12.30',
    state: 'published',
    in_stock: false,
    published_on: '1944-01-01',
    seen_at: '2026-11-15T08:00:00.000Z',
    tags: ['a', 'b'],
    ratings: [5, 4],
    meta: { any: ['thing'] },
    author: 1,
    follows: null,
    version: 1,
  },
  least: ['draft', null, 0.5],
  taken: '/problems/already-exists',
  titles: ['Ficciones'],
  sums: [
    ['published', 1944, '12.30', 174],
    ['draft', null, '1.00', null],
  ],
  total: 1,
  stale: '/problems/precondition-failed',
  patched: [null, []],
  referenced: '/problems/still-referenced',
  prices: ['12.30', '1.00'],
  committed: [{ count: 2 }, { id: 2, version: 1 }, { id: 2, version: 2 }],
};
