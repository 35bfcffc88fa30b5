/**
 * Marks of a text, as the Bot API documents them: within the text, not cutting characters, and nested
 * by its rules (https://core.telegram.org/bots/api#messageentity).
 * @module
 */

import { z } from "zod";

const SIMPLE = ["bold", "italic", "strikethrough", "code", "blockquote", "expandable_blockquote"];
const entitySchema = z.object({
  type: z.enum([...SIMPLE, "pre", "text_link"]),
  offset: z.int().nonnegative(),
  length: z.int().positive(),
  url: z.url().optional(),
  language: z.string().optional(),
});

/** A mark. */
export interface ShownEntity {
  readonly type: string;
  readonly offset: number;
  readonly length: number;
  readonly url?: string | undefined;
  readonly language?: string | undefined;
}

const ENTITIES_MAX = 100;
const CODE: ReadonlySet<string> = new Set(["code", "pre"]);
const QUOTES: ReadonlySet<string> = new Set(["blockquote", "expandable_blockquote"]);

/** The marks, and what is wrong with them; null when nothing is. */
export function readEntities(
  value: unknown,
  text: string,
): { readonly entities: readonly ShownEntity[]; readonly fault: string | null } {
  const parsed = z.array(entitySchema).safeParse(value ?? []);
  if (!parsed.success) return { entities: [], fault: parsed.error.message };
  const entities = parsed.data;
  return { entities, fault: faultOf(entities, text) };
}

function faultOf(entities: readonly ShownEntity[], text: string): string | null {
  if (entities.length > ENTITIES_MAX) return `${entities.length} entities are more than 100`;
  for (const entity of entities) {
    const { offset, length, type, url } = entity;
    if (offset + length > text.length) return `${type} ends outside of the text`;
    if (cutsCharacter(text, offset) || cutsCharacter(text, offset + length)) {
      return `${type} cuts a character`;
    }
    if ((type === "text_link") !== (url !== undefined)) return `${type} and its url do not fit`;
    for (const other of entities) {
      const fault = other === entity ? null : nestingFault(entity, other);
      if (fault !== null) return fault;
    }
  }
  return null;
}

function cutsCharacter(text: string, at: number): boolean {
  return /^[\uD800-\uDBFF]$/.test(text.charAt(at - 1)) &&
    /^[\uDC00-\uDFFF]$/.test(text.charAt(at));
}

/** What is wrong with `inner` inside of, or across the border of, `outer`. */
function nestingFault(inner: ShownEntity, outer: ShownEntity): string | null {
  const end = inner.offset + inner.length;
  const outerEnd = outer.offset + outer.length;
  if (end <= outer.offset || inner.offset >= outerEnd) return null;
  const isInside = inner.offset >= outer.offset && end <= outerEnd;
  const isAround = inner.offset <= outer.offset && end >= outerEnd;
  if (!isInside && !isAround) return `${inner.type} and ${outer.type} cross`;
  if (!isInside) return null; // the other way round is looked at as well
  if (inner.type === outer.type) return `${inner.type} stands in itself`;
  if (CODE.has(outer.type)) return `${outer.type} holds ${inner.type}`;
  if (CODE.has(inner.type) && !QUOTES.has(outer.type)) return `${outer.type} holds ${inner.type}`;
  if (QUOTES.has(inner.type) && QUOTES.has(outer.type)) return "a quote stands in a quote";
  return null;
}
