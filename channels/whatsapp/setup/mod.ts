/**
 * Setting up WhatsApp from the terminal.
 * @module
 */

export { setup } from "./login.ts";
