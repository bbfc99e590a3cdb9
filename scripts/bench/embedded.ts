/**
 * Drives the measured process over HTTP, as any client would: one kept-alive connection a client, one request a
 * workflow, answered when the outcome is stored.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { fileURLToPath } from 'node:url';

export interface Embedded {
  signup(key: string): Promise<void>;
  rollback(key: string): Promise<void>;
  /** CPU time of the measured process so far, in milliseconds. */
  cpuMs(): Promise<number>;
  stop(): Promise<void>;
}

export async function startEmbedded(directory: string): Promise<Embedded> {
  const child = fork(fileURLToPath(new URL('./host.ts', import.meta.url)), [directory]);
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
    signup: (key) => submit(key, 'ada@acme.example', 201),
    rollback: (key) => submit(key, 'nobody', 422),
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
