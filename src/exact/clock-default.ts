/** Defaults that stand for the moment of the change, by the type of the field. For a field of another type they are texts like any other. */
export const clockDefaults = { timestamp: '$now', date: '$today' } as const;
