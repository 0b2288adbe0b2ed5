/** How close the rows of tables are. */
import { preference } from './preferences.ts';

export type Density = 'compact' | 'comfortable';

export const isDensity = (value: unknown): value is Density => value === 'compact' || value === 'comfortable';

export const density = preference<Density>('density', 'compact', isDensity);

/** In pixels. */
export const rowHeights: Readonly<Record<Density, number>> = { compact: 28, comfortable: 38 };
