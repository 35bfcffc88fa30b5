/**
 * The libraries that read HTML; they take a tenth of a second and 60 MB, so only who reads a page
 * imports this module.
 * @module
 */

// @deno-types="./page_library_types.d.ts"
export { Readability } from "@mozilla/readability";
// @deno-types="./page_library_types.d.ts"
export { parseHTML } from "linkedom";
// @deno-types="./page_library_types.d.ts"
export { default as Turndown } from "turndown";
export type { PageDocument, PageElement, PageNode } from "./page_library_types.d.ts";
