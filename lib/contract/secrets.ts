/**
 * Secrets by reference: configuration names them, and only who makes the call that needs one reads it, then. A value
 * that quotes a reference says what stands before it: `Bearer secret:crm-token`.
 */

/** `secret:<name or ARN>`, and after a # the member of a JSON document. */
export const SECRET_REFERENCE = /^([\x21-\x7e]+ )?secret:([\w/:+=.@-]{1,300})(?:#(\w{1,60}))?$/;

export interface SecretReference {
  readonly before: string;
  readonly name: string;
  readonly member: string | null;
}

/** null: the value quotes no secret. */
export function readSecretReference(value: string): SecretReference | null {
  const found = SECRET_REFERENCE.exec(value);
  if (found === null) return null;
  const [, before = '', name = '', member = null] = found;
  return { before, name, member };
}
