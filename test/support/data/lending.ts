/** A library that lends books: the collections for transactions. */
import { declared } from './library.ts';

export const lendingFile = {
  members: {
    singular: 'member',
    fields: {
      name: 'text',
      loans_total: { type: 'integer', default: 0, min: 0 },
      deposit: { type: 'decimal', scale: 2, min: '0', max: '100', default: '10.00' },
      score: { type: 'number', default: 0 },
      points: { type: 'integer', optional: true },
    },
  },
  books: {
    singular: 'book',
    fields: {
      title: 'text',
      isbn: { type: 'text', max: 13, pattern: '^[0-9]{13}$', unique: true, optional: true },
      state: { type: 'choice', of: ['available', 'lent'], default: 'available' },
    },
    indexes: ['state'],
  },
  loans: {
    singular: 'loan',
    fields: {
      book: { type: 'reference', to: 'books' },
      member: { type: 'reference', to: 'members' },
      due_on: 'date',
      returned_on: { type: 'date', optional: true },
    },
  },
  notices: {
    singular: 'notice',
    fields: { loan: { type: 'reference', to: 'loans', on_delete: 'cascade' }, text: 'text' },
  },
};

export const lending = declared(lendingFile);
