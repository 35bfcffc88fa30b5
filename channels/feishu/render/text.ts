/**
 * Plain messages (`text`): characters as they are, and mentions of people.
 * @module
 */

import { replaceMentions } from "./escape.ts";
import { largest } from "../../markdown/largest.ts";
import { jsonBytes, TEXT_BYTES_MAX } from "./limits.ts";

/** One text: its content as JSON, and the text it shows. */
export interface TextBody {
  readonly content: string;
  readonly source: string;
}

/** What the platform would take as a tag inside of a text; people see a wider sign instead. */
const TAG_START = /<(?=\/?(?:at|a|b|i|u|s)\b)/gi;

/** The texts that show `text`: cut at line ends where possible. */
export function layOutTexts(text: string, bytesMax: number = TEXT_BYTES_MAX): readonly TextBody[] {
  return splitLines(text, (piece) => jsonBytes(contentOf(piece)) <= bytesMax)
    .map((source) => ({ content: JSON.stringify(contentOf(source)), source }));
}

function contentOf(text: string): { readonly text: string } {
  const called = replaceMentions(
    text.replace(TAG_START, "＜"),
    (name, openId) => `<at user_id="${openId}">${name.replace(/[<>"]/g, "")}</at>`,
  );
  return { text: called };
}

/** Pieces that fit, none blank; each line stays as it is, unless it is too long by itself. */
function splitLines(text: string, fits: (text: string) => boolean): readonly string[] {
  const pieces: string[] = [];
  for (let lines: readonly string[] = text.split("\n"); lines.length > 0;) {
    const joined = (many: number): string => lines.slice(0, many).join("\n");
    const count = largest(lines.length, (many) => fits(joined(many)));
    if (count > 0) {
      if (joined(count).trim() !== "") pieces.push(joined(count));
      lines = lines.slice(count);
      continue;
    }
    const characters = [...lines[0] ?? ""];
    const cut = (many: number): string => characters.slice(0, many).join("");
    const taken = Math.max(1, largest(characters.length, (many) => fits(cut(many))));
    pieces.push(cut(taken));
    const rest = characters.slice(taken).join("");
    lines = rest === "" ? lines.slice(1) : [rest, ...lines.slice(1)];
  }
  return pieces;
}
