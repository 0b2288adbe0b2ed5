/** A row as the driver returns it. An int8 arrives as decimal digits. */
export type Columns = (string | number | boolean | null)[];
