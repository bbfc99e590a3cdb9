/** A process that simulates the seeds it is sent, and sends back what came of them. Forked by `simulate.ts`. */
import { type Chunk, runSeeds } from '../lib/testing/simulation/seeds.ts';

process.on('message', (chunk: Chunk) => {
  void runSeeds(chunk).then((counts) => process.send?.(counts));
});
