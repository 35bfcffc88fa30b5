/**
 * Calls that a model writes into its text as `<tool_call>{…}</tool_call>`, which small models and
 * some servers do in place of structured calls.
 * @module
 */

import { z } from "zod";
import type { JsonObject } from "../../actors/kernel/json.ts";

const OPENER = "<tool_call>";
const CLOSER = "</tool_call>";

const written: z.ZodType<{ readonly name: string; readonly arguments: JsonObject }> = z.object({
  name: z.string(),
  arguments: z.record(z.string(), z.json()),
});

/** A call found in text. */
export interface WrittenCall {
  readonly name: string;
  readonly parameters: JsonObject;
}

/** What the held back text turned out to be. */
export interface WrittenCalls {
  readonly calls: readonly WrittenCall[];
  /** Text that is to be shown after all. */
  readonly text: string;
}

/** Keeps back text from the first opener on, until the end tells what it is. */
export class ToolCallText {
  readonly #isTool: (name: string) => boolean;
  #shown = "";
  #held = "";
  #isOpen = false;

  /** @param isTool tells names of tools that the model was offered */
  constructor(isTool: (name: string) => boolean) {
    this.#isTool = isTool;
  }

  /** Takes the next piece and gives what can be shown. */
  push(piece: string): string {
    if (this.#held === "" && !piece.includes("<")) return this.#show(piece);
    this.#held += piece;
    if (this.#isOpen) return "";
    const start = this.#held.indexOf(OPENER);
    this.#isOpen = start >= 0;
    return this.#release(this.#isOpen ? start : this.#held.length - beginningAtEnd(this.#held));
  }

  /**
   * Ends the text. Calls are taken only when all that was written is strictly right, and when
   * nothing quotes it; else it is text.
   *
   * @param hasCalls there are structured calls, so that these are mere words
   */
  end(hasCalls: boolean): WrittenCalls {
    const isQuoted = this.#shown.split("```").length % 2 === 0;
    const found = this.#isOpen && !hasCalls && !isQuoted ? this.#calls() : undefined;
    return found ?? { calls: [], text: this.#held };
  }

  #calls(): WrittenCalls | undefined {
    const calls: WrittenCall[] = [];
    let text = "";
    for (const part of this.#held.split(OPENER).slice(1)) {
      const [body = "", ...after] = part.split(CLOSER);
      const call = parseCall(body);
      if (call === undefined || !this.#isTool(call.name)) return undefined;
      calls.push({ name: call.name, parameters: call.arguments });
      text += after.join(CLOSER);
    }
    return { calls, text: text.trim() === "" ? "" : text };
  }

  #release(chars: number): string {
    const shown = this.#held.slice(0, chars);
    this.#held = this.#held.slice(chars);
    return this.#show(shown);
  }

  /** Keeps of what was shown the fences, which is all that matters later. */
  #show(text: string): string {
    if (text.includes("`")) this.#shown += text.replaceAll(/[^`]+/g, " ");
    return text;
  }
}

/** How many characters at the end may be the beginning of an opener. */
function beginningAtEnd(text: string): number {
  for (let length = Math.min(OPENER.length - 1, text.length); length > 0; length--) {
    if (text.endsWith(OPENER.slice(0, length))) return length;
  }
  return 0;
}

function parseCall(body: string): z.infer<typeof written> | undefined {
  try {
    return written.safeParse(JSON.parse(body)).data;
  } catch {
    return undefined;
  }
}
