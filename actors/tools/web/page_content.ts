/**
 * What a server's answer holds: told by its first bytes and its type, then read.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import { asError } from "../../kernel/errors.ts";
import { DocumentError } from "../documents/document_error.ts";
import { readPdf } from "../documents/pdf_pages.ts";
import { sniffImage } from "../image_kind.ts";
import type { ToolResponse } from "../tool.ts";
import { decodeText } from "./charset.ts";
import { plainText } from "./plain_text.ts";
import { type ExtractMode, type ReadablePage, readablePage } from "./readable_page.ts";

const logger = getLogger(["troupe", "tools", "page_content"]);

/** An answer as it is read. */
export type PageContent =
  | { readonly kind: "text"; readonly extractor: string; readonly text: string }
  | { readonly kind: "image"; readonly mime: string; readonly bytes: Uint8Array }
  /** `reason` goes on after "the answer": `is larger than 10 MB`. */
  | { readonly kind: "unreadable"; readonly reason: string };

/** Characters of text that are made of one answer; nobody pages further. */
export const PAGE_CHARS_MAX = 2_000_000;
/** Pretty JSON may be several times as long as what was sent. */
const JSON_CHARS_MAX = 2_000_000;
const TEXT_TYPE =
  /^(text\/|application\/(json|xml|javascript|ecmascript|x-ndjson|yaml|x-yaml|toml|x-sh|sql)|[^;]*\+(json|xml|yaml))/;
/** A document can name more pages than it has. */
const PDF_PAGES_MAX = 500;
/** How much is looked at to tell text from other bytes. */
const SNIFF_BYTES = 1_024;

/** Reads an answer. */
export async function readPage(
  response: ToolResponse,
  mode: ExtractMode,
  signal: AbortSignal,
): Promise<PageContent> {
  const { body, isCut } = response;
  const type = (response.headers["content-type"] ?? "").trim().toLowerCase();
  const image = sniffImage(body);
  if (image !== undefined) {
    return isCut ? tooLarge(body) : { kind: "image", mime: image, bytes: body };
  }
  if (isPdf(body)) return isCut ? tooLarge(body) : await readPdfText(body, signal);
  if (isBinary(body, type)) {
    return { kind: "unreadable", reason: `is neither text, image nor PDF (${plainType(type)})` };
  }
  const text = await decodeText(body, type);
  return await readText(text, { type, url: response.url, mode });
}

async function readText(
  text: string,
  { type, url, mode }: { readonly type: string; readonly url: string; readonly mode: ExtractMode },
): Promise<PageContent> {
  const head = text.slice(0, SNIFF_BYTES).trimStart().toLowerCase();
  if (/^text\/html|^application\/xhtml/.test(type) || /^<(!doctype html|html)\b/.test(head)) {
    return { kind: "text", ...await readHtml(text, url, mode) };
  }
  if (/^application\/json|^[^;]*\+json/.test(type)) {
    const pretty = prettyJson(text);
    if (pretty !== null) return { kind: "text", extractor: "json", text: pretty };
  }
  return { kind: "text", extractor: "raw", text };
}

/** By its letters where a library stumbles over it: pages are made to break readers, too. */
async function readHtml(html: string, url: string, mode: ExtractMode): Promise<ReadablePage> {
  try {
    return await readablePage(html, url, mode);
  } catch (error) {
    logger.debug("Read a page by its letters alone: {error}", { error: asError(error).message });
    return { extractor: "text", text: plainText(html) };
  }
}

async function readPdfText(bytes: Uint8Array, signal: AbortSignal): Promise<PageContent> {
  const range = { first: 1, last: PDF_PAGES_MAX };
  try {
    const { pages } = await readPdf(bytes, { range, charsMax: PAGE_CHARS_MAX, signal });
    const text = pages.map((page) => `--- Page ${page.number} ---\n${page.text}`).join("\n\n");
    return { kind: "text", extractor: "pdf", text };
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error;
    return { kind: "unreadable", reason: `is a PDF document, but ${error.message.slice(0, 200)}` };
  }
}

function prettyJson(text: string): string | null {
  if (text.length > JSON_CHARS_MAX) return null;
  try {
    return JSON.stringify(JSON.parse(text), null, 2).slice(0, PAGE_CHARS_MAX);
  } catch {
    return null; // not what it says it is, or nested too deep: shown as it came
  }
}

function isPdf(bytes: Uint8Array): boolean {
  return new TextDecoder("latin1").decode(bytes.subarray(0, 5)) === "%PDF-";
}

/** What names itself text is believed: UTF-16 is full of zeros. */
function isBinary(bytes: Uint8Array, type: string): boolean {
  return !TEXT_TYPE.test(type) && bytes.subarray(0, SNIFF_BYTES).includes(0);
}

/** The server's own words are shown only as far as they are a type. */
function plainType(type: string): string {
  return /^[\w.+-]{1,40}\/[\w.+-]{1,60}/.exec(type)?.[0] ?? "no type";
}

function tooLarge(bytes: Uint8Array): PageContent {
  const megabytes = Math.floor(bytes.length / 1_048_576);
  return { kind: "unreadable", reason: `is larger than ${megabytes} MB` };
}
