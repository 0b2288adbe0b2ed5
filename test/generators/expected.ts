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
