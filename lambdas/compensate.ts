/** Undoes what failed jobs have done. Its own queue and concurrency: forward load cannot starve it. */
import { driver } from './parts/driver.ts';
import { container } from './parts/engine.ts';

export const handler = driver(container('compensate').engine, 'recovery');
