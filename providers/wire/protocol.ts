/**
 * What all protocols need to ask a model.
 * @module
 */

import type { Clock } from "../../actors/kernel/clock.ts";
import type { JsonObject } from "../../actors/kernel/json.ts";
import type { NewId } from "../../actors/kernel/random.ts";
import type { Traits } from "../trait_kinds.ts";

/** What holds for all requests of an upstream. */
export interface ProtocolOptions {
  readonly clock: Clock;
  readonly newId: NewId;
  /** Longest silence of the server: before the headers, and between two events. */
  readonly stallMs: number;
  /** The user's own fields, laid over each body. */
  readonly extraBody?: JsonObject | undefined;
}

/** What goes with one request. */
export interface RequestOptions {
  /** The model's name on the wire. */
  readonly model: string;
  readonly traits: Traits;
  /** Noted with opaque data of the answer, which only this model there may see again. */
  readonly origin: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Called before the last event of an answer that came: behind it, a reader may be gone. */
  readonly onFinished?: () => void;
}
