/**
 * A tool call on its way through all that may keep it from running.
 * @module
 */

import type { JsonObject } from "../kernel/json.ts";
import type { CallPlace } from "./tool_messages.ts";

/** A call that is about to run. */
export interface GuardedCall {
  readonly tool: string;
  readonly args: JsonObject;
  readonly callId: string;
  readonly place: CallPlace;
}
