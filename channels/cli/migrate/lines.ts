/**
 * Lines of JSON on their way from one file to another.
 * @module
 */

import { withoutByteOrderMark } from "../../../actors/kernel/byte_order_mark.ts";
import type { JsonObject } from "../../../actors/kernel/json.ts";
import { z } from "zod";

/** Characters that are written at once. */
const PIECE_CHARS = 64 * 1024;

const objectSchema: z.ZodType<JsonObject> = z.record(z.string(), z.json());

/** The object of a line; null when it holds none. */
export function objectOf(line: string | null): JsonObject | null {
  if (line === null) return null;
  try {
    return objectSchema.safeParse(JSON.parse(withoutByteOrderMark(line))).data ?? null;
  } catch (error) {
    // A line that is nested too deep for the parser is no message either.
    if (error instanceof SyntaxError || error instanceof RangeError) return null;
    throw error;
  }
}

/** Lines as a text in pieces, each line ended. */
export async function* joinLines(lines: AsyncIterable<string>): AsyncGenerator<string> {
  let piece = "";
  for await (const line of lines) {
    piece += `${line}\n`;
    if (piece.length < PIECE_CHARS) continue;
    yield piece;
    piece = "";
  }
  if (piece !== "") yield piece;
}

/** A text as its only piece. */
export async function* onePiece(text: string): AsyncGenerator<string> {
  if (text !== "") yield await Promise.resolve(text);
}
