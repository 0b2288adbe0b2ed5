/** Log entries: one per request, errors, problems of the database, changes of API keys, TLS, issuers of tokens, and the audit log. */

export const logLevels = ['info', 'warn', 'error'] as const;
export type LogLevel = (typeof logLevels)[number];

export type RequestEntry = {
  readonly level: LogLevel;
  readonly event: 'request';
  /** Needs no escape in a header or in a log line. */
  readonly request_id: string;
  /** Empty, like the path, for input that is not a request. */
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly bytes: number;
  /** Whole microseconds. */
  readonly ms: number;
  /** The client's address, which needs no escape either. */
  readonly client: string;
  /** The name of the caller's API key, or the subject of its token. */
  readonly key?: string | undefined;
  /** The subject of the client's certificate. */
  readonly certificate?: string | undefined;
  readonly trace_id?: string | undefined;
  /** Only for a slow request. */
  readonly slow?: SlowRequest | undefined;
};

export type SlowRequest = {
  /** Milliseconds until the body had arrived. */
  readonly body_ms: number;
  /** Milliseconds after that. */
  readonly work_ms: number;
  /** Requests in flight. */
  readonly under_way: number;
  /** The names of the query's parameters, without their values. */
  readonly parameters: readonly string[];
};

export type ErrorEntry = {
  readonly level: 'error';
  readonly event: 'error';
  readonly request_id: string;
  readonly error: unknown;
};

/** A problem of the database that an operator must know; logged once, when it begins. */
export type StorageEntry = { readonly level: LogLevel; readonly event: 'storage'; readonly message: string };

/** An API key was created or revoked over HTTP, by the caller of this name. */
export type KeyEntry = {
  readonly level: 'info';
  readonly event: 'key';
  readonly request_id: string;
  readonly action: 'created' | 'revoked';
  readonly id: string;
  readonly name: string;
  readonly by: string;
};

/** A client that could not connect over TLS. */
export type HandshakeEntry = {
  readonly level: 'info';
  readonly event: 'handshake';
  readonly client: string;
  readonly reason: string;
};

/** The server's certificate was renewed, or a renewed one cannot be used. */
export type CertificateEntry = {
  readonly level: 'info' | 'warn';
  readonly event: 'certificate';
  readonly message: string;
};

/** The audit log cannot be written, or can be again. */
export type AuditFileEntry = { readonly level: 'info' | 'error'; readonly event: 'audit'; readonly message: string };

/** The collector of OpenTelemetry takes nothing, or does again. */
export type TelemetryEntry = {
  readonly level: 'info' | 'warn';
  readonly event: 'telemetry';
  readonly message: string;
};

/** An issuer of tokens cannot be read, or can be again. */
export type IssuerEntry = { readonly level: 'info' | 'warn'; readonly event: 'issuer'; readonly message: string };

/** The declarations of the configuration file were taken over, or the reason why not. */
export type SettingsEntry = { readonly level: LogLevel; readonly event: 'settings'; readonly message: string };

export type Entry =
  | RequestEntry
  | ErrorEntry
  | StorageEntry
  | KeyEntry
  | HandshakeEntry
  | CertificateEntry
  | IssuerEntry
  | AuditFileEntry
  | TelemetryEntry
  | SettingsEntry;
/** `now` is a value of `performance.now()`, from a caller that has one. */
export type Log = (entry: Entry, now?: number) => void;
