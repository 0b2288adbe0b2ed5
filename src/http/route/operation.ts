/** The OpenAPI description of a route: parameters, bodies, answers and failures. */
import type { TSchema } from 'typebox';
import type { FailureCode } from '../../domain/errors.ts';
import type { Collection } from '../../domain/record/collection.ts';
import type { AnswerHeader } from './answer-headers.ts';

export type Content = Readonly<Record<string, { readonly schema: TSchema; readonly example?: unknown }>>;

export function jsonContent(schema: TSchema, example: unknown): Content {
  return { 'application/json': { schema, example } };
}

export type Answer = {
  readonly status: number;
  readonly description: string;
  /** Besides the headers of every answer. */
  readonly headers?: readonly AnswerHeader[];
  readonly content?: Content;
};

/** For every read that has an ETag. */
export const notModified: Answer = {
  status: 304,
  description: 'Not modified: the ETag in If-None-Match is current.',
  headers: ['ETag', 'Vary', 'Content-Encoding'],
};

/** Failures of the database: on a read, and on a write. */
export const readFailures = ['not_ready', 'overloaded'] as const satisfies readonly FailureCode[];
export const writeFailures = [
  'storage_unavailable',
  'outcome_unknown',
  'overloaded',
] as const satisfies readonly FailureCode[];

/** A body that creates or changes a record: other records can have its unique values, or lack those that it refers to. */
export function clashFailures({ unique, references }: Collection): readonly FailureCode[] {
  return [
    ...(unique.length > 0 ? (['already_exists'] as const) : []),
    ...(references.length > 0 ? (['reference_missing'] as const) : []),
  ];
}

/** A deletion; other records can prevent it if the collection is referenced. */
export function removalFailures(isReferenced: boolean): readonly FailureCode[] {
  const held = isReferenced ? (['still_referenced'] as const) : [];
  return ['invalid_id', 'not_found', ...held, 'precondition_failed', ...writeFailures];
}

export type Parameter = {
  readonly name: string;
  readonly description: string;
  readonly schema: TSchema;
  /** The format of a list; `explode: false` separates its values by commas. */
  readonly style?: 'form';
  readonly explode?: boolean;
};

export type Operation = {
  readonly id: string;
  readonly tag: string;
  readonly summary: string;
  /** Facts that parameters and schemas cannot express. */
  readonly description?: string;
  readonly parameter?: Parameter;
  readonly queries?: readonly Parameter[];
  /** Request headers that the route reads. */
  readonly headers?: readonly Parameter[];
  /** By media type. */
  readonly body?: Content;
  readonly answers: readonly Answer[];
  readonly failures: readonly FailureCode[];
  /** Bodies of failures, where those of the operation say more than one for all of them. */
  readonly failureExamples?: Partial<Record<FailureCode, unknown>>;
  /** Failures have the body of RFC 9457; absent for the contract's error body. */
  readonly problems?: true;
};
