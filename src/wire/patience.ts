/** How long a connection waits, in seconds. */
export const patience = {
  /** For the first request, beyond the connection limit. */
  extra: 2,
  /** For the first request, while the server stops. */
  first: 2,
  /** For the rest of a head. */
  head: 15,
  /** For more of a body. */
  body: 20,
  /** For a reader to take more. */
  reader: 10,
  /** For the client to close a connection that was shut down. */
  farewell: 2,
  /** For a read whose client has closed its side, and may have left. */
  left: 2,
} as const;
