/** What OpenAPI says of a route: parameters, bodies, answers and failures. */
import type { TSchema } from 'typebox';
import type { FailureCode } from '../../domain/errors.ts';
import type { AnswerHeader } from './answer-headers.ts';

export type Content = Readonly<Record<string, { readonly schema: TSchema; readonly example?: unknown }>>;

export function jsonContent(schema: TSchema, example: unknown): Content {
  return { 'application/json': { schema, example } };
}

export type Answer = {
  readonly status: number;
  readonly description: string;
  /** Beside those that every answer has. */
  readonly headers?: readonly AnswerHeader[];
  readonly content?: Content;
};

/** What a read with a tag can answer. */
export const unchanged: Answer = {
  status: 304,
  description: 'You have it already: it is the one named in If-None-Match.',
  headers: ['ETag', 'Vary', 'Content-Encoding'],
};

/** How the database can fail a read, and a write. */
export const readFailures = ['not_ready', 'overloaded'] as const satisfies readonly FailureCode[];
export const writeFailures = [
  'storage_unavailable',
  'outcome_unknown',
  'overloaded',
] as const satisfies readonly FailureCode[];

export type Parameter = {
  readonly name: string;
  readonly description: string;
  readonly schema: TSchema;
  /** How a list is written; `explode: false` separates its values by commas. */
  readonly style?: 'form';
  readonly explode?: boolean;
};

/** What OpenAPI says of a route. */
export type Operation = {
  readonly id: string;
  readonly tag: string;
  readonly summary: string;
  /** What the parameters and schemas cannot say. */
  readonly description?: string;
  readonly parameter?: Parameter;
  readonly queries?: readonly Parameter[];
  /** Headers that it acts on. */
  readonly headers?: readonly Parameter[];
  /** By the type of its content. */
  readonly body?: Content;
  readonly answers: readonly Answer[];
  readonly failures: readonly FailureCode[];
  /** How failures are told: as the contract has it, or by RFC 9457. */
  readonly problems?: true;
};
