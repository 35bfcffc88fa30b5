/**
 * Setting a Discord bot up from the terminal.
 * @module
 */

export { setup } from "./login.ts";
