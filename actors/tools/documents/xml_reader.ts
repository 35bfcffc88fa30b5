/**
 * Reading the XML of documents as a stream of its elements and texts. Entities of its own making
 * are refused by the parser, so that nothing grows.
 * @module
 */

import { SaxesParser } from "saxes";
import { DocumentError } from "./document_error.ts";

/** Text is handed over in pieces, so that a reader that has enough can stop. */
const PIECE_CHARS = 64 * 1_024;

/** What a reader of a document is told. Names come without their prefix. */
export interface XmlHandler {
  open(name: string, attribute: (name: string) => string | undefined): void;
  close(name: string): void;
  text(text: string): void;
  /** Whether the rest may be left unread. */
  isDone?(): boolean;
}

/**
 * Reads `xml` to its end, or until the handler has enough.
 *
 * @throws {DocumentError} where it is not well-formed
 */
export function readXml(xml: string, handler: XmlHandler): void {
  const parser = new SaxesParser();
  parser.on("opentag", ({ name, attributes }) =>
    handler.open(localName(name), (wanted) => {
      const own = attributes[wanted];
      if (own !== undefined) return own;
      const key = Object.keys(attributes).find((prefixed) => prefixed.endsWith(`:${wanted}`));
      return key === undefined ? undefined : attributes[key];
    }));
  parser.on("closetag", ({ name }) => handler.close(localName(name)));
  parser.on("text", (text) => handler.text(text));
  parser.on("cdata", (text) => handler.text(text));
  try {
    for (let at = 0; at < xml.length; at += PIECE_CHARS) {
      if (handler.isDone?.() === true) return;
      parser.write(xml.slice(at, at + PIECE_CHARS));
    }
    parser.close();
  } catch (error) {
    if (error instanceof DocumentError) throw error;
    throw new DocumentError("a part of it is damaged", { cause: error });
  }
}

function localName(name: string): string {
  return name.slice(name.indexOf(":") + 1);
}
