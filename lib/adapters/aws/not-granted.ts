/**
 * What a function was not given. A variable comes with the right to use what it names; without it the port is there all
 * the same, and whoever uses it learns which variable is missing.
 */
export function granted<T>(value: T | null, variable: string): T {
  if (value !== null) return value;
  throw new Error(`${variable} is not set: this function has no right to what it names; grant it where it is deployed`);
}
