/**
 * What commands end with. Scripts and service managers rely on these numbers.
 * @module
 */

/** What was asked for is done. */
export const EXIT_DONE = 0;
/** It was tried and failed, or nothing was found. */
export const EXIT_FAILED = 1;
/** Not begun: wrong usage, a configuration that cannot be used, or what another process holds. */
export const EXIT_NOT_BEGUN = 2;
/** The gateway ended to be started again by its service manager. */
export const EXIT_TO_RESTART = 75;
/** A person left before it was done, as by Ctrl-C. */
export const EXIT_LEFT = 130;
