// Made by `shelf types`. Do not edit it: change the collections, and run the command again.
import type { Comparison, Filter, Json } from 'shelf-client';

/** Every collection: `createClient<Shelf>({ url })`. */
export interface Shelf {
  items: {
    singular: 'item';
    record: Item;
    draft: ItemDraft;
    where: ItemWhere;
    sort: 'id' | 'external_id' | 'name' | 'price' | 'version' | 'created_at' | 'updated_at';
    numeric: 'price';
    days: never;
    times: 'created_at' | 'updated_at';
    unique: never;
    references: object;
  };
  users: {
    singular: 'user';
    record: User;
    draft: UserDraft;
    where: UserWhere;
    sort: 'id' | 'external_id' | 'name' | 'version' | 'created_at' | 'updated_at';
    numeric: never;
    days: never;
    times: 'created_at' | 'updated_at';
    unique: never;
    references: object;
  };
  publishers: {
    singular: 'publisher';
    record: Publisher;
    draft: PublisherDraft;
    where: PublisherWhere;
    sort: 'id' | 'name' | 'version' | 'created_at' | 'updated_at';
    numeric: never;
    days: never;
    times: 'created_at' | 'updated_at';
    unique: ['name'];
    references: object;
  };
  authors: {
    singular: 'author';
    record: Author;
    draft: AuthorDraft;
    where: AuthorWhere;
    sort: 'id' | 'name' | 'born' | 'publisher' | 'version' | 'created_at' | 'updated_at';
    numeric: never;
    days: 'born';
    times: 'created_at' | 'updated_at';
    unique: never;
    references: { publisher: 'publishers' };
  };
  books: {
    singular: 'book';
    record: Book;
    draft: BookDraft;
    where: BookWhere;
    sort: 'id' | 'title' | 'isbn' | 'pages' | 'weight' | 'price' | 'state' | 'in_stock' | 'published_on' | 'seen_at' | 'author' | 'follows' | 'version' | 'created_at' | 'updated_at';
    numeric: 'pages' | 'weight' | 'price';
    days: 'published_on';
    times: 'seen_at' | 'created_at' | 'updated_at';
    unique: ['isbn'];
    references: { author: 'authors'; follows: 'books' };
  };
  reviews: {
    singular: 'review';
    record: Review;
    draft: ReviewDraft;
    where: ReviewWhere;
    sort: 'id' | 'text' | 'book' | 'version' | 'created_at' | 'updated_at';
    numeric: never;
    days: never;
    times: 'created_at' | 'updated_at';
    unique: never;
    references: { book: 'books' };
  };
}

/** A record of items. */
export interface Item {
  /** Assigned by the server, unique, never reused. */
  id: number;
  /** The id in the contract API; the new id if absent. */
  external_id: bigint;
  /** text */
  name: string;
  /** number */
  price: number;
  /** 1 at creation; each change increases it. */
  version: number;
  /** UTC with milliseconds. */
  created_at: string;
  /** UTC with milliseconds. */
  updated_at: string;
}

/** A record of items to be created. */
export interface ItemDraft {
  /** The id in the contract API; the new id if absent. */
  external_id?: bigint;
  /** text */
  name: string;
  /** number */
  price: number;
}

/** Filters of items. */
export interface ItemWhere {
  id?: Filter<number, Comparison, 'external_id' | 'version'>;
  external_id?: Filter<bigint, Comparison, 'id' | 'version'>;
  name?: Filter<string, Comparison | 'contains' | 'starts_with' | 'eq_ci' | 'contains_ci'>;
  price?: Filter<number, Comparison>;
  version?: Filter<number, Comparison, 'id' | 'external_id'>;
  created_at?: Filter<string, Comparison, 'updated_at'>;
  updated_at?: Filter<string, Comparison, 'created_at'>;
}

/** A record of users. */
export interface User {
  /** Assigned by the server, unique, never reused. */
  id: number;
  /** The id in the contract API; the new id if absent. */
  external_id: bigint;
  /** text */
  name: string;
  /** 1 at creation; each change increases it. */
  version: number;
  /** UTC with milliseconds. */
  created_at: string;
  /** UTC with milliseconds. */
  updated_at: string;
}

/** A record of users to be created. */
export interface UserDraft {
  /** The id in the contract API; the new id if absent. */
  external_id?: bigint;
  /** text */
  name: string;
}

/** Filters of users. */
export interface UserWhere {
  id?: Filter<number, Comparison, 'external_id' | 'version'>;
  external_id?: Filter<bigint, Comparison, 'id' | 'version'>;
  name?: Filter<string, Comparison | 'contains' | 'starts_with' | 'eq_ci' | 'contains_ci'>;
  version?: Filter<number, Comparison, 'id' | 'external_id'>;
  created_at?: Filter<string, Comparison, 'updated_at'>;
  updated_at?: Filter<string, Comparison, 'created_at'>;
}

/** A record of publishers. */
export interface Publisher {
  /** Assigned by the server, unique, never reused. */
  id: number;
  /** text, max 100, unique */
  name: string;
  /** 1 at creation; each change increases it. */
  version: number;
  /** UTC with milliseconds. */
  created_at: string;
  /** UTC with milliseconds. */
  updated_at: string;
}

/** A record of publishers to be created. */
export interface PublisherDraft {
  /** text, max 100, unique */
  name: string;
}

/** Filters of publishers. */
export interface PublisherWhere {
  id?: Filter<number, Comparison, 'version'>;
  name?: Filter<string, Comparison | 'contains' | 'starts_with' | 'eq_ci' | 'contains_ci'>;
  version?: Filter<number, Comparison, 'id'>;
  created_at?: Filter<string, Comparison, 'updated_at'>;
  updated_at?: Filter<string, Comparison, 'created_at'>;
}

/** A record of authors. */
export interface Author {
  /** Assigned by the server, unique, never reused. */
  id: number;
  /** text, max 200 */
  name: string;
  /** date */
  born: string | null;
  /** reference, to "publishers", on_delete "clear" */
  publisher: number | null;
  /** 1 at creation; each change increases it. */
  version: number;
  /** UTC with milliseconds. */
  created_at: string;
  /** UTC with milliseconds. */
  updated_at: string;
}

/** A record of authors to be created. */
export interface AuthorDraft {
  /** text, max 200 */
  name: string;
  /** date */
  born?: string | null;
  /** reference, to "publishers", on_delete "clear" */
  publisher?: number | null;
}

/** Filters of authors. */
export interface AuthorWhere {
  id?: Filter<number, Comparison, 'version'>;
  name?: Filter<string, Comparison | 'contains' | 'starts_with' | 'eq_ci' | 'contains_ci'>;
  born?: Filter<string, Comparison | 'is'>;
  publisher?: Filter<number, 'eq' | 'ne' | 'in' | 'is'>;
  version?: Filter<number, Comparison, 'id'>;
  created_at?: Filter<string, Comparison, 'updated_at'>;
  updated_at?: Filter<string, Comparison, 'created_at'>;
}

/** A record of books. */
export interface Book {
  /** Assigned by the server, unique, never reused. */
  id: number;
  /** text */
  title: string;
  /** text, pattern "^[0-9]{13}$", max 13, unique */
  isbn: string;
  /** integer, min 1 */
  pages: bigint | null;
  /** number, default 0.5 */
  weight: number;
  /** decimal, scale 2, min "0" */
  price: string;
  /** choice, default "draft" */
  state: "draft" | "published";
  /** boolean, default */
  in_stock: boolean;
  /** date */
  published_on: string | null;
  /** timestamp */
  seen_at: string | null;
  /** list, of "text", max 20, default [] */
  tags: (string)[];
  /** list, of "integer" */
  ratings: (bigint)[] | null;
  /** json */
  meta: Json | null;
  /** reference, to "authors", on_delete "restrict" */
  author: number;
  /** reference, to "books", on_delete "cascade" */
  follows: number | null;
  /** 1 at creation; each change increases it. */
  version: number;
  /** UTC with milliseconds. */
  created_at: string;
  /** UTC with milliseconds. */
  updated_at: string;
}

/** A record of books to be created. */
export interface BookDraft {
  /** text */
  title: string;
  /** text, pattern "^[0-9]{13}$", max 13, unique */
  isbn: string;
  /** integer, min 1 */
  pages?: bigint | null;
  /** number, default 0.5 */
  weight?: number;
  /** decimal, scale 2, min "0" */
  price: string;
  /** choice, default "draft" */
  state?: "draft" | "published";
  /** boolean, default */
  in_stock?: boolean;
  /** date */
  published_on?: string | null;
  /** timestamp */
  seen_at?: string | null;
  /** list, of "text", max 20, default [] */
  tags?: (string)[];
  /** list, of "integer" */
  ratings?: (bigint)[] | null;
  /** json */
  meta?: Json | null;
  /** reference, to "authors", on_delete "restrict" */
  author: number;
  /** reference, to "books", on_delete "cascade" */
  follows?: number | null;
}

/** Filters of books. */
export interface BookWhere {
  id?: Filter<number, Comparison, 'pages' | 'version'>;
  title?: Filter<string, Comparison | 'contains' | 'starts_with' | 'eq_ci' | 'contains_ci', 'isbn'>;
  isbn?: Filter<string, Comparison | 'contains' | 'starts_with' | 'eq_ci' | 'contains_ci', 'title'>;
  pages?: Filter<bigint, Comparison | 'is', 'id' | 'version'>;
  weight?: Filter<number, Comparison>;
  price?: Filter<string, Comparison>;
  state?: Filter<"draft" | "published", 'eq' | 'ne' | 'in'>;
  in_stock?: Filter<boolean, 'eq' | 'ne' | 'in'>;
  published_on?: Filter<string, Comparison | 'is'>;
  seen_at?: Filter<string, Comparison | 'is', 'created_at' | 'updated_at'>;
  tags?: Filter<string, 'has'>;
  ratings?: Filter<bigint, 'has' | 'is'>;
  meta?: Filter<Json, 'is'>;
  author?: Filter<number, 'eq' | 'ne' | 'in'>;
  follows?: Filter<number, 'eq' | 'ne' | 'in' | 'is'>;
  version?: Filter<number, Comparison, 'id' | 'pages'>;
  created_at?: Filter<string, Comparison, 'seen_at' | 'updated_at'>;
  updated_at?: Filter<string, Comparison, 'seen_at' | 'created_at'>;
}

/** A record of reviews. */
export interface Review {
  /** Assigned by the server, unique, never reused. */
  id: number;
  /** text */
  text: string;
  /** reference, to "books", on_delete "cascade" */
  book: number;
  /** 1 at creation; each change increases it. */
  version: number;
  /** UTC with milliseconds. */
  created_at: string;
  /** UTC with milliseconds. */
  updated_at: string;
}

/** A record of reviews to be created. */
export interface ReviewDraft {
  /** text */
  text: string;
  /** reference, to "books", on_delete "cascade" */
  book: number;
}

/** Filters of reviews. */
export interface ReviewWhere {
  id?: Filter<number, Comparison, 'version'>;
  text?: Filter<string, Comparison | 'contains' | 'starts_with' | 'eq_ci' | 'contains_ci'>;
  book?: Filter<number, 'eq' | 'ne' | 'in'>;
  version?: Filter<number, Comparison, 'id'>;
  created_at?: Filter<string, Comparison, 'updated_at'>;
  updated_at?: Filter<string, Comparison, 'created_at'>;
}
