/** Codes of failures. `test/client/client.test.ts` compares them with the list of the server. */

/** The failures of the server, each with its status. */
export interface ServerStatuses {
  malformed_request: 400;
  malformed_json: 400;
  malformed_csv: 400;
  invalid_body: 400;
  invalid_id: 400;
  invalid_query: 400;
  invalid_cursor: 400;
  invalid_key: 400;
  unauthorized: 401;
  forbidden: 403;
  host_not_allowed: 403;
  cross_origin: 403;
  not_found: 404;
  unknown_path: 404;
  method_not_allowed: 405;
  request_timeout: 408;
  already_exists: 409;
  reference_missing: 409;
  still_referenced: 409;
  check_failed: 409;
  out_of_bounds: 409;
  too_many_records: 409;
  plan_refused: 409;
  history_trimmed: 410;
  precondition_failed: 412;
  body_too_large: 413;
  uri_too_long: 414;
  unsupported_encoding: 415;
  unsupported_media_type: 415;
  key_reused: 422;
  rate_limited: 429;
  head_too_large: 431;
  internal: 500;
  unsupported_coding: 501;
  storage_unavailable: 503;
  /** 0 if the answer was lost. */
  outcome_unknown: 503 | 0;
  overloaded: 503;
  /** 0 if no answer came within the time-out. */
  timed_out: 503 | 0;
  not_ready: 503;
  issuer_unavailable: 503;
  unsupported_version: 505;
}

/** Failures that the client finds. The status is 0: there was no answer. */
export interface ClientStatuses {
  /** The server cannot be reached, or the connection was lost. */
  connection_lost: 0;
  /** The signal of the call was aborted. A write may have happened. */
  aborted: 0;
  /** The call cannot be sent as it is, such as NaN in a record. Nothing was sent. */
  invalid_argument: 0;
  /** The source of `createMany` threw; `cause` has its error. */
  source_failed: 0;
}

/** By its code, the status of each failure. An `unexpected_answer` is none of Shelf's, such as the page of a proxy. */
export interface Statuses extends ServerStatuses, ClientStatuses {
  unexpected_answer: number;
}

export type Code = keyof Statuses;
