/**
 * What is used of the library that turns HTML into text; it has no types of its own.
 * @module
 */

/** How an element is shown. */
interface Selector {
  readonly selector: string;
  readonly format?: string;
  readonly options?: Readonly<Record<string, boolean | number | string | readonly string[]>>;
}

/** html-to-text: the words of a page, laid out. */
export function convert(
  html: string,
  options: {
    readonly wordwrap: number | false;
    readonly limits: {
      readonly maxInputLength: number;
      readonly maxDepth: number;
      readonly maxBaseElements: number;
      readonly maxChildNodes: number;
    };
    readonly selectors: readonly Selector[];
  },
): string;
