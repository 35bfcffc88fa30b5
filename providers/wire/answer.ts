/**
 * What goes over the wire to a vendor and back, whatever its protocol.
 * @module
 */

import { GatewayError } from "../../actors/kernel/errors.ts";
import type { JsonObject } from "../../actors/kernel/json.ts";
import type { Fault } from "../failures.ts";
import type { ChatResponse } from "../provider.ts";

/** One request. */
export interface WireRequest {
  /** Behind the base URL, with a slash first; or a whole URL. */
  readonly path: string;
  readonly body: JsonObject;
  /** Names in lower case; those of the wire win over them. */
  readonly headers: Readonly<Record<string, string>>;
}

/** What came back with a good status. */
export type Answer =
  /** Server-sent events. */
  | { readonly kind: "stream"; readonly body: ReadableStream<Uint8Array<ArrayBuffer>> }
  /** The server does not stream: the answer in one piece. */
  | { readonly kind: "whole"; readonly body: unknown };

/** The way to one upstream. */
export interface Wire {
  /**
   * Sends a request; resolves when the headers are there.
   *
   * @throws {WireError}
   */
  ask(request: WireRequest, signal: AbortSignal): Promise<Answer>;
}

/** A request without a usable answer; the fault says why. */
export class WireError extends GatewayError {
  override readonly name = "WireError";
  readonly code = "wire_failed";
  readonly recovery = "give_up";
  readonly fault: Fault;

  constructor(fault: Fault) {
    super("Cannot use the answer of a model server");
    this.fault = fault;
  }
}

/** What a piece of an answer brought. */
export type Folded =
  | { readonly state: "ok"; readonly text: string; readonly reasoning: string }
  | { readonly state: "fault"; readonly fault: Fault };

/** A piece that brought nothing to show. */
export const NOTHING: Folded = { state: "ok", text: "", reasoning: "" };

/** The whole answer, or why there is none. */
export type FoldResult =
  | {
    readonly state: "ok";
    readonly response: ChatResponse;
    /** Text that only the end uncovered. */
    readonly lateText: string;
  }
  | { readonly state: "fault"; readonly fault: Fault };

/** Puts the pieces of one answer together, while they arrive. */
export interface Fold {
  /** The model has said its last word: what may still come is no part of the answer. */
  readonly isFinished: boolean;
  /** The protocol's last event has come. */
  readonly isComplete: boolean;
  /** Adds the data of an event, or a whole answer. */
  add(data: unknown): Folded;
  /**
   * Ends the answer.
   *
   * @param isWhole the server said that nothing is missing
   */
  finish(isWhole: boolean): FoldResult;
}

/** Why a fold has no response. */
export function foldFault(failure: NonNullable<Fault["failure"]>, text: string): FoldResult {
  return { state: "fault", fault: { failure, tokens: [], text } };
}
