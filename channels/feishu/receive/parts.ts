/**
 * What a received message consists of: words, files to download, bundles to open.
 * @module
 */

import { bracketed } from "../../media/bracketed.ts";
import type { MediaKind } from "../../media/media_name.ts";

/** Something to download; `key` names it at the platform. */
export interface Resource {
  readonly kind: MediaKind;
  readonly key: string;
  /** As its sender named it; "" without a name. Never a path to be used as it is. */
  readonly name: string;
  /** The picture that stands for a video; "" without. */
  readonly coverKey: string;
}

/** A piece of a message, in reading order. Pieces follow each other without a blank. */
export type Part =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "resource"; readonly resource: Resource }
  /** Forwarded messages, which the platform gives by the id of the message. */
  | { readonly type: "bundle" };

/** The placeholder for forwarded messages that are not opened. */
export const BUNDLE_WORDS = "[merged forward messages]";

/** Words as the only part; none when they are blank. */
export function textParts(text: string): readonly Part[] {
  return text.trim() === "" ? [] : [{ type: "text", text }];
}

/** A part to download. */
export function resourcePart(
  kind: Resource["kind"],
  resource: Pick<Resource, "key"> & Partial<Resource>,
): Part {
  return { type: "resource", resource: { name: "", coverKey: "", ...resource, kind } };
}

/** The whole text, with a word in brackets for what is not text. */
export function plainText(parts: readonly Part[]): string {
  return parts.map((part) => {
    switch (part.type) {
      case "text":
        return part.text;
      case "resource":
        return bracketed(part.resource.kind, part.resource.name);
      case "bundle":
        return BUNDLE_WORDS;
    }
  }).join("").trim();
}

/** The same parts with every text changed by `change`. */
export function mapText(parts: readonly Part[], change: (text: string) => string): Part[] {
  return parts.map((part) => part.type === "text" ? { ...part, text: change(part.text) } : part);
}
