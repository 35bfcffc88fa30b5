/**
 * The Markdown of cards: signs stand for themselves as entities, people are called by tags.
 * @module
 */

import type { Dialect } from "../../markdown/dialect.ts";
import { cardText, entity, literalText } from "./escape.ts";

/** Keys of uploaded pictures by the address that the text names. */
export type ImageKeys = ReadonlyMap<string, string>;

const IMAGE_KEY = /^img_[\w-]+$/;
/** Tags, entities, pictures and links to them. */
const ATOMS = /<at [^>]{0,200}><\/at>|!?\[[^\]\n]{0,1000}\]\([^)\s]{0,4000}\)|&#?\w+;/;

/** The Markdown of a card that shows these pictures. */
export function cardDialect(images: ImageKeys): Dialect {
  return {
    sign: entity,
    running: cardText,
    literal: literalText,
    picture: (href) => images.get(href) ?? (IMAGE_KEY.test(href) ? href : null),
    lineEnd: "\n",
    atoms: ATOMS,
  };
}

/** The same where no picture is shown. */
export const CARD_DIALECT: Dialect = cardDialect(new Map());
