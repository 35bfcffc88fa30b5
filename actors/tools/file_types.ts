/**
 * Kinds of files by their extensions, as searches name them.
 * @module
 */

const TYPES: Readonly<Record<string, readonly string[]>> = {
  py: ["py", "pyi"],
  python: ["py", "pyi"],
  js: ["js", "jsx", "mjs", "cjs"],
  ts: ["ts", "tsx", "mts", "cts"],
  tsx: ["tsx"],
  jsx: ["jsx"],
  json: ["json"],
  md: ["md", "mdx"],
  markdown: ["md", "mdx"],
  go: ["go"],
  rs: ["rs"],
  rust: ["rs"],
  java: ["java"],
  sh: ["sh", "bash"],
  yaml: ["yaml", "yml"],
  yml: ["yaml", "yml"],
  toml: ["toml"],
  sql: ["sql"],
  html: ["html", "htm"],
  css: ["css", "scss", "sass"],
};

/** Whether a file's name is of a type; one that is not known is an extension. */
export function isOfType(name: string, type: string): boolean {
  const wanted = type.trim().toLowerCase().replace(/^\./, "");
  const extensions = Object.hasOwn(TYPES, wanted) ? TYPES[wanted] ?? [] : [wanted];
  return extensions.some((extension) => name.toLowerCase().endsWith(`.${extension}`));
}
