/** Numbers of things in sentences. */

/** `1,200`. */
export function grouped(count: number): string {
  return count.toLocaleString('en-US');
}

/** `1 record`, `1,200 records`. */
export function counted(count: number, thing: string): string {
  return `${grouped(count)} ${thing}${count === 1 ? '' : 's'}`;
}

/** `1,200 records of 2 collections`. */
export function recordAmount(records: number, collections: number): string {
  return `${counted(records, 'record')} of ${counted(collections, 'collection')}`;
}

/** `a, b and c`. */
export function listed(parts: readonly string[]): string {
  const [last = ''] = parts.slice(-1);
  return parts.length < 2 ? last : `${parts.slice(0, -1).join(', ')} and ${last}`;
}

/** The time since `began`, which is of performance.now. */
export function sinceText(began: number): string {
  const seconds = (performance.now() - began) / 1000;
  return seconds < 60 ? `${seconds.toFixed(1)} s` : `${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s`;
}
