/**
 * The items of a response while it comes: messages, calls, reasoning.
 * @module
 */

import type { JsonObject } from "../../actors/kernel/json.ts";
import { TextBuffer } from "../wire/text_buffer.ts";
import type { WireEvent, WireItem } from "./events.ts";

/** An item under way. */
export interface OpenItem {
  item: WireItem;
  readonly argumentPieces: TextBuffer;
  /** The whole of the arguments, once it is known. */
  finalArguments: string | undefined;
  /** Some of its text was shown already. */
  hasShown: boolean;
}

/** The items of one response. Events name them by their place in the output, or by their id. */
export class Items {
  readonly #byPlace = new Map<number, OpenItem>();
  readonly #byId = new Map<string, OpenItem>();
  readonly #all: OpenItem[] = [];

  /** In order of first appearance. */
  get all(): readonly OpenItem[] {
    return this.#all;
  }

  /** The item that an event is about; it is made when it is new. */
  of(event: Pick<WireEvent, "output_index" | "item_id" | "item">): OpenItem {
    const place = event.output_index ?? undefined;
    const id = event.item_id ?? event.item?.id ?? undefined;
    const known = (place === undefined ? undefined : this.#byPlace.get(place)) ??
      (id === undefined ? undefined : this.#byId.get(id));
    const open = known ?? {
      item: { type: "", whole: {} },
      argumentPieces: new TextBuffer(),
      finalArguments: undefined,
      hasShown: false,
    };
    if (event.item) open.item = event.item;
    if (known === undefined) this.#all.push(open);
    if (place !== undefined) this.#byPlace.set(place, open);
    if (id !== undefined) this.#byId.set(id, open);
    return open;
  }
}

/** The arguments of a call: what was said to be all of them, else the pieces. */
export function argumentsOf({ item, finalArguments, argumentPieces }: OpenItem): string {
  const given = item.arguments;
  const whole = typeof given === "object" && given !== null ? JSON.stringify(given) : given;
  return finalArguments || whole || argumentPieces.toString();
}

/** Text of a message, refusals included. */
export function messageText({ content }: WireItem): string {
  return (content ?? []).map(({ text, refusal }) => text ?? refusal ?? "").join("");
}

/** What is told of reasoning. */
export function summaryText({ summary, content }: WireItem): string {
  const parts = summary?.length ? summary : content ?? [];
  return parts.map(({ text }) => text ?? "").filter((text) => text !== "").join("\n\n");
}

/** Reasoning in the form that can come back; undefined where it is not encrypted. */
export function replayable({ whole }: WireItem): JsonObject | undefined {
  if (typeof whole["encrypted_content"] !== "string") return undefined;
  const { id: _id, status: _status, ...rest } = whole;
  return rest;
}
