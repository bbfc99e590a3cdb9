/**
 * Signs requests for an API behind an IAM authorizer (SigV4), when DACAPO_SIGV4 is 1: with the credentials and the region
 * of the usual variables. Nothing else about a request changes.
 */
import { createHash, createHmac } from 'node:crypto';

const SERVICE = 'execute-api';
const sha256 = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex');
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text, 'utf8').digest();
/** RFC 3986, as the signature wants it: what encodeURIComponent leaves as it is goes too. */
const encoded = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);

export function signatureHeaders(
  method: string,
  address: string,
  body: string | null,
  headers: Record<string, string>,
  now = new Date(),
): Record<string, string> {
  const {
    DACAPO_SIGV4,
    AWS_ACCESS_KEY_ID: id = '',
    AWS_SECRET_ACCESS_KEY: secret = '',
    AWS_SESSION_TOKEN: token,
    AWS_REGION: region = 'us-east-1',
  } = process.env;
  if (DACAPO_SIGV4 !== '1') return {};
  const url = new URL(address);
  const time = now.toISOString().replace(/[-:]|\.\d{3}/g, '');
  const added = { 'x-amz-date': time, ...(token ? { 'x-amz-security-token': token } : {}) };
  const signed = Object.entries({ ...headers, ...added, host: url.host })
    .map(([name, value]) => [name.toLowerCase(), value.trim().replace(/ +/g, ' ')] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  const names = signed.map(([name]) => name).join(';');
  const query = [...url.searchParams]
    .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
    .toSorted()
    .join('&');
  const request = [
    method,
    url.pathname.split('/').map(encoded).join('/'),
    query,
    ...signed.map(([name, value]) => `${name}:${value}`),
    '',
    names,
    sha256(body ?? ''),
  ].join('\n');
  const day = time.slice(0, 8);
  const scope = `${day}/${region}/${SERVICE}/aws4_request`;
  const key = [day, region, SERVICE, 'aws4_request'].reduce<Buffer | string>(hmac, `AWS4${secret}`);
  const signature = hmac(key, ['AWS4-HMAC-SHA256', time, scope, sha256(request)].join('\n')).toString('hex');
  return {
    ...added,
    authorization: `AWS4-HMAC-SHA256 Credential=${id}/${scope}, SignedHeaders=${names}, Signature=${signature}`,
  };
}
