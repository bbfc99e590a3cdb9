/**
 * What a schema found wrong, as one refusal: each fault with its place and with what to write there.
 */
import type { z } from 'zod';
import type { FieldError } from '../core/plan.ts';
import { malformed } from './problem.ts';

type Place = readonly PropertyKey[];

export function refusalOf(where: string, error: z.ZodError, name: (place: Place) => string): Error {
  const errors: FieldError[] = error.issues.flatMap((issue) => {
    if (issue.code !== 'unrecognized_keys') return [{ path: name(issue.path), message: issue.message }];
    return issue.keys.map((key) => ({ path: name([...issue.path, key]), message: 'is not known here: leave it out' }));
  });
  const told = errors.map(({ path, message }) => (message.includes(':') ? message : `${path} ${message}`));
  return malformed(`${where}: ${told.join('; ')}`, errors);
}

/** RFC 6901. */
export function pointer(place: Place): string {
  if (place.length === 0) return '/';
  return place.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
