/** The collections of this service, in display order. */
import { items } from './items.ts';
import { users } from './users.ts';

export const collections = [items, users];
