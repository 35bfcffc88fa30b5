/**
 * A module in TypeScript, with those that it imports by relative names, as JavaScript that a program
 * without a compiler can load: one `data:` URL, in which those of the others stand.
 * @module
 */

import { parse } from "es-module-lexer/js";
import { transform } from "sucrase";

/** More is no plug-in but an application. */
const MODULES_MAX = 200;
const TYPESCRIPT = /\.[cm]?ts$/;

/**
 * Makes it.
 *
 * @param url a `file:` URL
 * @throws {TypeError} for modules that import each other in a circle, or too many
 * @throws {SyntaxError} for what is no TypeScript
 */
export async function scriptUrl(url: string): Promise<string> {
  return await urlOf(new URL(url), { known: new Map(), above: [] });
}

interface Course {
  /** What was made, by its place. */
  readonly known: Map<string, string>;
  /** The modules on the way here, the first one first. */
  readonly above: readonly string[];
}

async function urlOf(place: URL, { known, above }: Course): Promise<string> {
  const { href } = place;
  const made = known.get(href);
  if (made !== undefined) return made;
  if (above.includes(href)) {
    throw new TypeError(
      `Cannot load "${href}": it imports itself by a detour, which a compiled program cannot do; ` +
        "put both into one file",
    );
  }
  if (known.size >= MODULES_MAX) {
    throw new TypeError(`Cannot load "${above[0]}": it has more than ${MODULES_MAX} modules`);
  }
  const source = await Deno.readTextFile(place);
  const { code } = transform(source, {
    transforms: ["typescript"],
    disableESTransforms: true,
    filePath: href,
  });
  const script = await withPlaces(code, place, { known, above: [...above, href] });
  const url = `data:text/javascript;base64,${new TextEncoder().encode(script).toBase64()}`;
  known.set(href, url);
  return url;
}

/** The code with the places of what it imports, and its own, spelt out. */
async function withPlaces(code: string, place: URL, course: Course): Promise<string> {
  const [imports] = parse(code, place.href);
  let made = "";
  let at = 0;
  for (const { type, specifier, start, end } of imports) {
    const text = code.slice(start, end);
    const put = type === "import-meta"
      ? `({ url: ${JSON.stringify(place.href)}, main: false })`
      : await specifierFor(text, specifier ?? "", place, course);
    made += code.slice(at, start) + put;
    at = end;
  }
  return made + code.slice(at);
}

/** `text` is the name as it stands there: a dynamic import's with its quotes. */
async function specifierFor(
  text: string,
  specifier: string,
  place: URL,
  course: Course,
): Promise<string> {
  if (!/^(\.{0,2}\/|file:)/.test(specifier)) return text;
  const target = new URL(specifier, place);
  const url = TYPESCRIPT.test(target.pathname) ? await urlOf(target, course) : target.href;
  return /^["'`]/.test(text) ? JSON.stringify(url) : url;
}
