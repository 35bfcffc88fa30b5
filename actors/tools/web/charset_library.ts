/**
 * The library that guesses encodings, without its types.
 * @module
 */

// @deno-types="./page_library_types.d.ts"
export { detect } from "chardet";
