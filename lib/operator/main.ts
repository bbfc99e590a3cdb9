#!/usr/bin/env node
/** `dacapo`: the command line in a process. A reader that goes away, such as `head`, ends it without a word. */
import { readOperatorEnvironment } from '../contract/operator-environment.ts';
import { EXIT } from './failure.ts';
import { processIo } from './io.ts';
import { main } from './program.ts';

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});
const io = processIo();
try {
  process.exitCode = await main(process.argv.slice(2), io, readOperatorEnvironment());
} catch (error) {
  io.err.write(`dacapo: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = EXIT.usage;
}
