/**
 * Puts the deltas of tool calls together. Servers differ in what they send along: an index, an
 * id, a name, or none of them; the rules here tell calls apart under all of these.
 * @module
 */

import type { JsonObject } from "../../actors/kernel/json.ts";
import { parseArguments, requestedCall } from "../messages/arguments.ts";
import type { RequestedCall } from "../provider.ts";
import type { WireCallDelta } from "./chunk.ts";

interface OpenCall {
  readonly choice: number;
  readonly index: number | undefined;
  id: string;
  name: string;
  arguments: string;
  extraContent: JsonObject | undefined;
}

/** What finishing calls needs. */
export interface CallFoldOptions {
  /** Makes an id for a call that came without one, or with one already taken. */
  readonly newCallId: () => string;
  /** Our name of a tool. */
  readonly toolName: (wireName: string) => string;
}

/** Collects the calls of one answer. */
export class CallFold {
  readonly #options: CallFoldOptions;
  readonly #calls: OpenCall[] = [];

  constructor(options: CallFoldOptions) {
    this.#options = options;
  }

  /** Adds a delta that stood in `choice`. */
  add(delta: WireCallDelta, choice: number): void {
    const { id, function: called, extra_content: extraContent } = delta;
    const index = delta.index ?? undefined;
    const candidate = this.#candidate(index, id ?? "", choice);
    let call = candidate;
    if (call === undefined || !continues(call, delta)) {
      call = { choice, index, id: "", name: "", arguments: "", extraContent: undefined };
      this.#calls.push(call);
    }
    if (id && call.id === "") call.id = id;
    if (called?.name) call.name = called.name;
    call.arguments += argumentsText(called?.arguments);
    if (extraContent) call.extraContent = extraContent;
  }

  /** Choices that hold calls. */
  get choices(): ReadonlySet<number> {
    return new Set(this.#calls.map(({ choice }) => choice));
  }

  /**
   * The calls, in order of first appearance, each with an id of its own.
   *
   * @param isCutOff the model was stopped at its limit of tokens
   */
  finish(isCutOff: boolean): readonly RequestedCall[] {
    const { newCallId, toolName } = this.#options;
    const taken = new Set<string>();
    return this.#calls.map((call) => {
      const id = call.id === "" || taken.has(call.id) ? newCallId() : call.id;
      taken.add(id);
      const requested = requestedCall({ ...call, id, name: toolName(call.name) }, isCutOff);
      if (call.extraContent === undefined) return requested;
      return { ...requested, call: { ...requested.call, extra_content: call.extraContent } };
    });
  }

  #candidate(index: number | undefined, id: string, choice: number): OpenCall | undefined {
    const mine = this.#calls.filter((call) => call.choice === choice);
    if (index !== undefined) return mine.findLast((call) => call.index === index);
    return mine.findLast((call) => id !== "" && call.id === id) ?? mine.at(-1);
  }
}

/** Whether `delta` goes on with `call`, or opens the next one. */
function continues(call: OpenCall, delta: WireCallDelta): boolean {
  const { id, index } = delta;
  const name = delta.function?.name;
  if (id && call.id !== "" && id !== call.id) return !name && !isComplete(call.arguments);
  if (!name || call.name === "") return true;
  // An id or a name that comes again with every piece says nothing new.
  if (id && id === call.id) return name === call.name || !isComplete(call.arguments);
  if (isComplete(call.arguments)) return false;
  return (index !== undefined && index !== null) || name === call.name;
}

function isComplete(text: string): boolean {
  return text.trimEnd().endsWith("}") && parseArguments(text, false).state === "ok";
}

function argumentsText(piece: string | JsonObject | null | undefined): string {
  if (piece === null || piece === undefined) return "";
  return typeof piece === "string" ? piece : JSON.stringify(piece);
}
