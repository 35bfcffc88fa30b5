/**
 * What an edit makes of a text.
 * @module
 */

import type { MemoryEdit } from "./protocol.ts";
import { mergeTexts } from "./text_merge.ts";

/** The new text, or why there is none. */
export type EditedText =
  | { readonly state: "edited"; readonly text: string }
  | { readonly state: "refused"; readonly problem: string };

/** Applies an edit to a text, which keeps its kind of line ends. */
export async function editedText(current: string, edit: MemoryEdit): Promise<EditedText> {
  const hasCrlf = current.includes("\r\n");
  const plain = withoutCr(current);
  const edited = edit.type === "replace" ? replaced(plain, edit) : await written(plain, edit);
  if (edited.state === "refused" || !hasCrlf) return edited;
  return { state: "edited", text: edited.text.replaceAll("\n", "\r\n") };
}

function replaced(
  current: string,
  { from, to, isEverywhere = false }: Extract<MemoryEdit, { type: "replace" }>,
): EditedText {
  const wanted = withoutCr(from);
  if (wanted === "") {
    if (current === "") return { state: "edited", text: withoutCr(to) };
    return { state: "refused", problem: "an empty old text is only for an empty file" };
  }
  const parts = current.split(wanted);
  if (parts.length === 1) {
    return { state: "refused", problem: "the old text does not stand there; read it again" };
  }
  if (parts.length > 2 && !isEverywhere) {
    const problem = `the old text stands there ${parts.length - 1} times; give more around it`;
    return { state: "refused", problem };
  }
  return { state: "edited", text: parts.join(withoutCr(to)) };
}

async function written(
  current: string,
  { text, base }: Extract<MemoryEdit, { type: "write" }>,
): Promise<EditedText> {
  if (base === undefined) return { state: "edited", text: withoutCr(text) };
  const merged = await mergeTexts(withoutCr(base), current, withoutCr(text));
  if (merged.state === "merged") return { state: "edited", text: merged.text };
  const problem = "it was edited in the same place meanwhile; read it again";
  return { state: "refused", problem };
}

/** As the file will read: half of a character cannot be written. */
function withoutCr(text: string): string {
  return text.toWellFormed().replaceAll("\r\n", "\n");
}
