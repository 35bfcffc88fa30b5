/**
 * What is used of the libraries that read pages. Some have no types, the others' need those of a
 * browser.
 * @module
 */

/** A node of a parsed page. */
export interface PageNode {
  readonly nodeName: string;
  readonly textContent: string | null;
  readonly childNodes: ArrayLike<PageNode>;
}

/** An element of a parsed page. */
export interface PageElement extends PageNode {
  readonly parentElement: PageElement | null;
  readonly previousElementSibling: PageElement | null;
  getAttribute(name: string): string | null;
  setAttribute(name: string, value: string): void;
  removeAttribute(name: string): void;
  querySelector(selector: string): PageElement | null;
  querySelectorAll(selector: string): ArrayLike<PageElement>;
  remove(): void;
}

/** A parsed page. */
export interface PageDocument extends PageElement {
  readonly body: PageElement | null;
}

/** linkedom: parses HTML; runs nothing of it. */
export function parseHTML(html: string): { readonly document: PageDocument };

/** @mozilla/readability: finds what a page is about. Changes the document. */
export class Readability {
  constructor(
    document: PageDocument,
    options: {
      readonly maxElemsToParse: number;
      readonly serializer: (element: PageElement) => PageElement;
    },
  );
  parse(): {
    readonly title: string | null | undefined;
    readonly content: PageElement | null | undefined;
    readonly textContent: string | null | undefined;
  } | null;
}

/** turndown: turns HTML into Markdown. */
export class Turndown {
  constructor(options: Readonly<Record<string, string>>);
  addRule(
    name: string,
    rule: {
      readonly filter: readonly string[];
      readonly replacement: (content: string, node: PageElement) => string;
    },
  ): this;
  remove(names: readonly string[]): this;
  turndown(element: PageElement): string;
}
export { Turndown as default };

/** chardet: the likeliest encoding of bytes. */
export function detect(bytes: Uint8Array): string | null;

/** A PDF document, as unpdf opens it. */
export interface PdfDocument {
  readonly numPages: number;
  getPage(number: number): Promise<{
    getTextContent(): Promise<{
      readonly items: readonly { readonly str?: string; readonly hasEOL?: boolean }[];
    }>;
  }>;
  readonly loadingTask: { destroy(): Promise<void> };
}

/** unpdf: opens a PDF document. */
export function getDocumentProxy(
  bytes: Uint8Array,
  options: { readonly verbosity: number },
): Promise<PdfDocument>;
