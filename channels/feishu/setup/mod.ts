/**
 * Setting a Feishu or Lark bot up from the terminal.
 * @module
 */

export { setup } from "./login.ts";
