/**
 * Why a document cannot be read.
 * @module
 */

import { GatewayError } from "../../kernel/errors.ts";

/** The text of a document cannot be had; `message` continues "Cannot read it: ". */
export class DocumentError extends GatewayError {
  override readonly name = "DocumentError";
  readonly code = "document_unreadable";
  readonly recovery = "give_up";
}
