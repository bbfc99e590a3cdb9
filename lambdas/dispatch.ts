/** Drives jobs forward: one message of the dispatch queue at a time, or a hint from a submit that waits. */
import { driver } from './parts/driver.ts';
import { container } from './parts/engine.ts';

export const handler = driver(container('dispatch').engine, 'forward');
