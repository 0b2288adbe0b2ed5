/** What is read of a database at a time: few records where they are large, but one at least. */
export const bytesAtOnce = 1024 * 1024;
