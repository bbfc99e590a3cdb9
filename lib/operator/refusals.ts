/** The two ways in which the command line itself says no, before or instead of asking the server. */

/** Something a person got wrong on the command line: what, and what to write instead. */
export class UsageError extends Error {}

/** Nothing was done, for a reason that is no usage error. */
export class RefusedHere extends Error {}
