/**
 * Setting a Slack app up from the terminal.
 * @module
 */

export { setup } from "./login.ts";
