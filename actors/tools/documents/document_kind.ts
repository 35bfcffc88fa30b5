/**
 * Which documents can be read as text, by their names.
 * @module
 */

import { extname } from "node:path";
import type { OfficeKind } from "./office_text.ts";

/** A kind of document. */
export type DocumentKind = OfficeKind | "pdf";

const KINDS: ReadonlySet<string> = new Set<DocumentKind>(["docx", "xlsx", "pptx", "pdf"]);

/** The kind that a file's name promises; undefined for anything else. */
export function documentKind(path: string): DocumentKind | undefined {
  const extension = extname(path).slice(1).toLowerCase();
  return isKind(extension) ? extension : undefined;
}

/** Whether the bytes begin like such a document. */
export function looksLike(bytes: Uint8Array, kind: DocumentKind): boolean {
  const head = String.fromCharCode(...bytes.subarray(0, 1_024));
  return kind === "pdf" ? head.includes("%PDF-") : head.startsWith("PK");
}

function isKind(name: string): name is DocumentKind {
  return KINDS.has(name);
}
