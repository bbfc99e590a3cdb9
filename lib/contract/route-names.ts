/** How targets and topics are written in routes. */
export const TARGET_NAME = /^[a-z][a-z0-9-]{0,39}$/;
export const TOPIC_NAME = /^[a-z][a-z0-9-]*:[a-z][a-z0-9:-]*$/;
