/** What dacapo sends and receives as messages, described. */
export { asyncApiDocument, EVENT_SOURCE, eventKindsOf, eventSchemas } from './document.ts';
export { EVENT_KINDS, type EventKind } from './events.ts';
