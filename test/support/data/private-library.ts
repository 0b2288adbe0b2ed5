/** A library with rules: what a librarian, a member and a visitor may see and change. */
import type { AccessDeclaration } from '../../../src/domain/access/declaration.ts';
import { declared } from './library.ts';

export const privateFile = {
  members: {
    singular: 'member',
    fields: {
      name: 'text',
      email: { type: 'text', max: 200, unique: true, optional: true },
      secret: { type: 'text', optional: true },
    },
  },
  books: {
    singular: 'book',
    contract: true,
    fields: {
      title: { type: 'text', search: true },
      state: { type: 'choice', of: ['available', 'lent', 'lost'], default: 'available' },
      cost: { type: 'decimal', scale: 2, default: '0.00' },
      note: { type: 'text', optional: true, search: true },
      isbn: { type: 'text', max: 20, optional: true, unique: true },
    },
    indexes: ['state'],
  },
  loans: {
    singular: 'loan',
    fields: {
      book: { type: 'reference', to: 'books' },
      member: 'integer',
      due_on: 'date',
      returned_on: { type: 'date', optional: true },
      fine: { type: 'decimal', scale: 2, default: '0.00' },
    },
    indexes: ['member'],
  },
  reviews: {
    singular: 'review',
    fields: {
      book: { type: 'reference', to: 'books' },
      author: { type: 'reference', to: 'members', optional: true },
      text: 'text',
      stars: { type: 'integer', min: 1, max: 5 },
    },
  },
  secrets: { singular: 'secret', fields: { text: 'text' } },
};

export const privateLibrary = declared(privateFile).filter(({ name }) => Object.hasOwn(privateFile, name));

export const privateRules: AccessDeclaration = {
  roles: {
    librarian: { from: { claim: 'groups', has: 'staff' } },
    member: { from: { claim: 'member_id' } },
    // Of some members, whose ids a claim lists.
    guardian: { from: { claim: 'member_ids' } },
    // May send fields that it does not see.
    clerk: { from: { claim: 'clerk' } },
    visitor: { from: 'anybody' },
  },
  collections: {
    members: { librarian: 'read', member: { read: { where: { id: '$caller.member_id' }, fields: ['name', 'email'] } } },
    books: {
      librarian: 'write',
      member: { read: { where: { not: { state: 'lost' } }, fields: ['title', 'state', 'isbn'] } },
      visitor: { read: { where: { state: 'available' }, fields: ['title', 'state'] } },
    },
    loans: {
      librarian: 'write',
      clerk: { read: { fields: ['book', 'member'] }, update: { fields: ['member', 'fine'] } },
      guardian: { read: { where: { member: { in: '$caller.member_ids' } } } },
      member: {
        read: { where: { member: '$caller.member_id' }, fields: ['book', 'member', 'due_on', 'returned_on'] },
        create: {
          fields: ['book', 'due_on'],
          set: { member: '$caller.member_id' },
          check: { 'book.state': 'available' },
        },
        update: {
          where: { member: '$caller.member_id', returned_on: { is: 'null' } },
          fields: ['returned_on', 'due_on'],
        },
        delete: { where: { returned_on: { is: 'set' } } },
      },
    },
    reviews: {
      librarian: 'write',
      member: { read: { where: { 'book.state': 'available' } }, create: true, update: { where: { stars: { lt: 5 } } } },
      clerk: { read: true, update: { fields: ['stars'], set: { text: 'rated' } } },
      visitor: { read: { where: { 'book.state': 'available' }, fields: ['book', 'text'] } },
    },
  },
};

export const librarian = { role: 'librarian', claims: { groups: ['staff'] } };
export const member = (id: unknown = 7) => ({ role: 'member', claims: { member_id: id } });
export const clerk = { role: 'clerk', claims: { clerk: true } };
export const visitor = { role: 'visitor' };
export const admin = { scope: 'admin' } as const;
