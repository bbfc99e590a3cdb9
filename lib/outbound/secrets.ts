/**
 * Reads secrets when a call needs them and keeps them for a minute: few reads, and a changed secret is in use soon. One
 * that was refused by who it is for is read again at once. They live here and in a request's headers, nowhere else.
 */
import { isObject, parseJson } from '../contract/json.ts';
import { readSecretReference, type SecretReference } from '../contract/secrets.ts';

/** Answers the secret's text; throws when there is none, or no right to read it. */
export type SecretSource = (name: string) => Promise<string>;

export interface Secrets {
  /** The headers with what they refer to in place of the reference. @throws SecretUnavailable */
  fill(headers: Readonly<Record<string, string>>): Promise<Record<string, string>>;
  /** These were refused. */
  forget(headers: Readonly<Record<string, string>>): void;
}

export class SecretUnavailable extends Error {
  override readonly name = 'SecretUnavailable';
}

const KEPT_MS = 60_000;

export function cachedSecrets(source: SecretSource, now: () => number): Secrets {
  const known = new Map<string, { readonly text: Promise<string>; readonly until: number }>();
  const read = (name: string): Promise<string> => {
    const kept = known.get(name);
    if (kept !== undefined && now() < kept.until) return kept.text;
    const text = source(name);
    known.set(name, { text, until: now() + KEPT_MS });
    // A failure is not kept: the next call asks again.
    text.catch(() => known.delete(name));
    return text;
  };
  const filledValue = async (value: string): Promise<string> => {
    const reference = readSecretReference(value);
    if (reference === null) return value;
    try {
      return reference.before + member(await read(reference.name), reference);
    } catch {
      // Whatever was thrown may quote what it read.
      throw new SecretUnavailable(
        `the secret ${reference.name} cannot be read: see that it exists, and the right to it`,
      );
    }
  };
  return {
    fill: async (headers) => {
      const filled = Object.entries(headers).map(async ([name, value]) => [name, await filledValue(value)] as const);
      return Object.fromEntries(await Promise.all(filled));
    },
    forget: (headers) => {
      for (const value of Object.values(headers)) known.delete(readSecretReference(value)?.name ?? '');
    },
  };
}

function member(text: string, { member: wanted }: SecretReference): string {
  if (wanted === null) return text.trim();
  const parsed = parseJson(text);
  const document = parsed.ok && isObject(parsed.value) ? parsed.value : {};
  const value = Object.hasOwn(document, wanted) ? document[wanted] : undefined;
  if (typeof value !== 'string') throw new Error('the secret has no such member');
  return value;
}
