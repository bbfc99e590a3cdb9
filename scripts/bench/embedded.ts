/**
 * Drives the measured process over HTTP, as any client would: one kept-alive connection a client, one request a
 * workflow, answered when the outcome is stored.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { fileURLToPath } from 'node:url';

export interface Embedded {
  readonly port: number;
  signup(key: string): Promise<void>;
  rollback(key: string): Promise<void>;
  /** Jobs of the crowd that are through. */
  done(): Promise<number>;
  /** CPU time of the measured process so far, in milliseconds. */
  cpuMs(): Promise<number>;
  stop(): Promise<void>;
}

/** @param delayMs what each call of a participant takes */
export async function startEmbedded(directory: string, delayMs = 0): Promise<Embedded> {
  const child = fork(fileURLToPath(new URL('./host.ts', import.meta.url)), [directory, String(delayMs)]);
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  const agent = new Agent({ keepAlive: true, maxSockets: 256 });
  const submit = (key: string, email: string, expected: number): Promise<void> =>
    new Promise((resolve, reject) => {
      const body = JSON.stringify({ company: 'Acme', email, plan: 'standard' });
      const headers = {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        'idempotency-key': key,
        prefer: 'wait=20',
      };
      const sent = request(
        { agent, host: '127.0.0.1', port, method: 'POST', path: '/workflows/signup/jobs', headers },
        (answer) => {
          answer.resume();
          answer.once('end', () => {
            if (answer.statusCode === expected) resolve();
            else reject(new Error(`answered ${answer.statusCode} in place of ${expected}`));
          });
        },
      );
      sent.once('error', reject);
      sent.end(body);
    });
  return {
    port,
    signup: (key) => submit(key, 'ada@acme.example', 201),
    rollback: (key) => submit(key, 'nobody', 422),
    done: async () => {
      child.send('done');
      const [{ done }] = (await once(child, 'message')) as [{ done: number }];
      return done;
    },
    cpuMs: () => cpuOf(child),
    async stop() {
      agent.destroy();
      child.disconnect();
      await once(child, 'exit');
    },
  };
}

async function cpuOf(child: ChildProcess): Promise<number> {
  child.send('cpu');
  const [{ user, system }] = (await once(child, 'message')) as [{ user: number; system: number }];
  return (user + system) / 1_000;
}
