/**
 * Setting a DingTalk robot up from the terminal.
 * @module
 */

export { setup } from "./login.ts";
