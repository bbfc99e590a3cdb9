/**
 * One JSON line an event on stderr; stdout belongs to the one line that says where the server listens. Only what a
 * person should look at is written: a job's own course stands in the job.
 */
import type { Log } from '../ports.ts';

export function stderrLog(write: (line: string) => void = (line) => process.stderr.write(line)): Log {
  return {
    write: (level, event, fields) => {
      if (level === 'debug' || level === 'info') return;
      write(`${JSON.stringify({ at: new Date().toISOString(), level, event, ...fields })}\n`);
    },
  };
}
