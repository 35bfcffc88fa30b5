/**
 * Setting a mailbox up from the terminal.
 * @module
 */

export { setup } from "./login.ts";
