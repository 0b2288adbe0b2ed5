// Made by `shelf types`. Do not edit it: change the collections, and run the command again.
import type { Comparison, Filter } from 'shelf-client';

/** Every collection: `createClient<Shelf>({ url })`. */
export interface Shelf {
  halls: {
    singular: 'hall';
    record: Hall;
    draft: HallDraft;
    where: HallWhere;
    sort: 'id' | 'name' | 'version' | 'created_at' | 'updated_at';
    numeric: never;
    days: never;
    times: 'created_at' | 'updated_at';
    unique: never;
    references: object;
  };
  seats: {
    singular: 'seat';
    record: Seat;
    draft: SeatDraft;
    where: SeatWhere;
    sort: 'id' | 'hall' | 'place' | 'holder' | 'note' | 'version' | 'created_at' | 'updated_at';
    numeric: 'place';
    days: never;
    times: 'created_at' | 'updated_at';
    unique: ['hall', 'place'] | ['holder'];
    references: { hall: 'halls' };
  };
}

/** A record of halls. */
export interface Hall {
  /** Assigned by the server, unique, never reused. */
  id: number;
  /** text */
  name: string;
  /** 1 at creation; each change increases it. */
  version: number;
  /** UTC with milliseconds. */
  created_at: string;
  /** UTC with milliseconds. */
  updated_at: string;
}

/** A record of halls to be created. */
export interface HallDraft {
  /** text */
  name: string;
}

/** Filters of halls. */
export interface HallWhere {
  id?: Filter<number, Comparison, 'version'>;
  name?: Filter<string, Comparison | 'contains' | 'starts_with' | 'eq_ci' | 'contains_ci'>;
  version?: Filter<number, Comparison, 'id'>;
  created_at?: Filter<string, Comparison, 'updated_at'>;
  updated_at?: Filter<string, Comparison, 'created_at'>;
}

/** A record of seats. */
export interface Seat {
  /** Assigned by the server, unique, never reused. */
  id: number;
  /** reference, to "halls" */
  hall: number;
  /** integer */
  place: bigint;
  /** text, max 50 */
  holder: string | null;
  /** text, default "" */
  note: string;
  /** 1 at creation; each change increases it. */
  version: number;
  /** UTC with milliseconds. */
  created_at: string;
  /** UTC with milliseconds. */
  updated_at: string;
}

/** A record of seats to be created. */
export interface SeatDraft {
  /** reference, to "halls" */
  hall: number;
  /** integer */
  place: bigint;
  /** text, max 50 */
  holder?: string | null;
  /** text, default "" */
  note?: string;
}

/** Filters of seats. */
export interface SeatWhere {
  id?: Filter<number, Comparison, 'place' | 'version'>;
  hall?: Filter<number, 'eq' | 'ne' | 'in'>;
  place?: Filter<bigint, Comparison, 'id' | 'version'>;
  holder?: Filter<string, Comparison | 'contains' | 'starts_with' | 'eq_ci' | 'contains_ci' | 'is', 'note'>;
  note?: Filter<string, Comparison | 'contains' | 'starts_with' | 'eq_ci' | 'contains_ci', 'holder'>;
  version?: Filter<number, Comparison, 'id' | 'place'>;
  created_at?: Filter<string, Comparison, 'updated_at'>;
  updated_at?: Filter<string, Comparison, 'created_at'>;
}
