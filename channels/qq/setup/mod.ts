/**
 * Setting a QQ bot up from the terminal.
 * @module
 */

export { setup } from "./login.ts";
