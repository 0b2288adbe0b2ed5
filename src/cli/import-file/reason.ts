/** Why a row is refused, in one line. */
import type { Failure } from '../../domain/errors.ts';

/** The problems of the failure, each with its field. */
export function reasonOf({ problems, detail }: Pick<Failure, 'problems' | 'detail'>): string {
  if (problems === undefined || problems.length === 0) return detail.replace(/\.$/, '');
  return problems.map(({ field, message }) => (field === undefined ? message : `${field} ${message}`)).join('; ');
}
