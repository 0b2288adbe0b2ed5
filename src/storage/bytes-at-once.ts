/** The soft limit of one read of a database: large records come few at a time, but at least one. */
export const bytesAtOnce = 1024 * 1024;
