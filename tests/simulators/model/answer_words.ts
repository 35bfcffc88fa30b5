/**
 * What turns an answer in steps into the words of a protocol.
 * @module
 */

import type { JsonObject } from "../../../actors/kernel/json.ts";
import type { StreamStep } from "./script.ts";

/** Puts the steps of one answer into the words of a protocol, in their order. */
export interface Rendering {
  /** The bytes of a step as text; "" for steps that are no bytes. */
  step(step: StreamStep): string;
  /** The whole answer that the steps amount to, for requests that do not stream. */
  whole(steps: readonly StreamStep[]): JsonObject;
}
