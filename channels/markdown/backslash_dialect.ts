/**
 * Markdown in which a sign stands for itself behind a backslash, as the standard has it.
 * @module
 */

import type { Dialect } from "./dialect.ts";

/**
 * Marks, and brackets that would be those of a link; a backslash where it would hide a sign. A `<`
 * counts where it could begin a tag: some platforms know some.
 */
const ACTING =
  /[*`~]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|\\(?=[!-/:-@[-`{-~])|\](?=[([:])|\[(?![^[\]]*\](?![([:]))|<(?=[A-Za-z/!?])/gu;
/** Everything that could ever be a mark. */
const SIGNS = /[\\*_~`[\]<>]/g;

function sign(character: string): string {
  return `\\${character}`;
}

/** How Markdown is spelled where nothing else is known. */
export const BACKSLASH_DIALECT: Dialect = {
  sign,
  running: (text) => text.replace(ACTING, sign),
  literal: (text) => text.replace(SIGNS, sign),
  // A picture is fetched by whoever looks at the message: a model could be made to tell by its
  // address what nobody shall know. As a link it takes a press.
  picture: () => null,
  // One line end alone is none.
  lineEnd: "  \n",
  atoms: /\\[!-/:-@[-`{-~]|!?\[[^\]\n]{0,1000}\]\([^)\s]{0,4000}\)|&#?\w+;/,
};
