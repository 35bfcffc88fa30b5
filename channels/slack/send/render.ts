/**
 * Texts as messages, rendered once: what is stored is what goes out.
 * @module
 */

import { blocksOf, plainBlocks } from "../render/blocks.ts";
import { intoMessages, MESSAGE_CHARS_MAX } from "../render/parts.ts";
import { type Block, blockWords, escaped, richText } from "../render/rich.ts";
import type { PartRecord } from "./state.ts";

/** The messages that show `text`; none for a blank one. @param isPlain shows it as it is */
export function partsOf(text: string, isPlain: boolean): readonly PartRecord[] {
  const trimmed = text.trim();
  if (trimmed === "") return [];
  return recordsOf(isPlain ? plainBlocks(trimmed) : blocksOf(trimmed));
}

/** The messages that show a text which still grows, and below it what runs just now. */
export function growingParts(text: string, running: readonly string[]): readonly PartRecord[] {
  const activity: readonly Block[] = running.length === 0 ? [] : [{
    type: "rich_text_section",
    elements: [{
      type: "text",
      text: `${text.trim() === "" ? "" : "\n"}${running.join("\n")}`,
      style: { italic: true },
    }],
  }];
  return recordsOf([...text.trim() === "" ? [] : blocksOf(text), ...activity]);
}

/** A message whose buttons go, with how it was decided below it where there is room. */
export function decidedPart({ text, blocks }: PartRecord, decision: string): PartRecord {
  const kept = blocks.filter(({ type }) => type !== "actions");
  const [added] = partsOf(decision, false);
  const whole = `${text}\n\n${added?.text ?? ""}`;
  return added === undefined || whole.length > MESSAGE_CHARS_MAX
    ? { text, blocks: kept }
    : { text: whole, blocks: [...kept, ...added.blocks] };
}

function recordsOf(blocks: readonly Block[]): readonly PartRecord[] {
  return intoMessages(blocks).map((message) => ({
    text: escaped(blockWords(message)),
    blocks: richText(message),
  }));
}
