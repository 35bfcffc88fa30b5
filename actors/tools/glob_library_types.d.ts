/**
 * What is used of the library that reads glob patterns; it has no types of its own.
 * @module
 */

/** picomatch: whether a path fits a pattern. */
declare function picomatch(
  pattern: string,
  options: { readonly dot: boolean; readonly nonegate: boolean },
): (path: string) => boolean;
export { picomatch as default };
