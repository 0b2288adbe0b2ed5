/** Timeouts of a connection, in seconds. */
export const timeouts = {
  /** For the first request on a connection over the limit. */
  overLimit: 2,
  /** For the first request on a connection while the server stops. */
  first: 2,
  /** For the first request on a connection, for the rest of a head, and for a TLS handshake. */
  head: 15,
  /** For more of a body. */
  body: 20,
  /** For the client to read more of the answer. */
  reader: 10,
  /** For the client to close a connection that was shut down. */
  farewell: 2,
  /** For the answer to a read whose client has closed its side and may have left. */
  left: 2,
} as const;
