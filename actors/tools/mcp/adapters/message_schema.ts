/**
 * Lines that servers write, as messages of the protocol.
 * @module
 */

import { type JSONRPCMessage, JSONRPCMessageSchema } from "./sdk.ts";

/** The message in a line; undefined where it holds none. */
export function parseMessage(line: string): JSONRPCMessage | undefined {
  try {
    return JSONRPCMessageSchema.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}
