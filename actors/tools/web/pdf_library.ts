/**
 * The library that reads PDF documents, without its types.
 * @module
 */

// @deno-types="./page_library_types.d.ts"
export { getDocumentProxy } from "unpdf";
