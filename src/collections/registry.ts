/** The collections that this service serves, in the order in which they are shown. */
import { items } from './items.ts';
import { users } from './users.ts';

export const collections = [items, users];
