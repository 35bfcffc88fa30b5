/**
 * Text with marks beside it, as Telegram wants it: nothing has to be escaped, and any piece of it
 * is well formed. Offsets and lengths count UTF-16 units, as strings do.
 * @module
 */

/** A mark that has no details. */
export type SimpleMark =
  | "bold"
  | "italic"
  | "strikethrough"
  | "code"
  | "blockquote"
  | "expandable_blockquote";

/** What a stretch of text looks like. */
export type Mark =
  | { readonly type: SimpleMark }
  | { readonly type: "pre"; readonly language?: string }
  | { readonly type: "text_link"; readonly url: string };

/** A mark and the stretch of text it covers. */
export type Entity = Mark & { readonly offset: number; readonly length: number };

/** Text and its marks. */
export interface StyledText {
  readonly text: string;
  readonly entities: readonly Entity[];
}

/** No text. */
export const NOTHING: StyledText = { text: "", entities: [] };

/** Text without marks. */
export function plain(text: string): StyledText {
  return { text, entities: [] };
}

/** All pieces in one, with `separator` between them. */
export function joined(pieces: readonly StyledText[], separator: string = ""): StyledText {
  let text = "";
  const entities: Entity[] = [];
  for (const [index, piece] of pieces.entries()) {
    if (index > 0) text += separator;
    for (const entity of piece.entities) {
      entities.push({ ...entity, offset: entity.offset + text.length });
    }
    text += piece.text;
  }
  return { text, entities };
}

/** The text from `start` to `end`, with what is left of its marks. */
export function sliced({ text, entities }: StyledText, start: number, end: number): StyledText {
  return {
    text: text.slice(start, end),
    entities: entities.flatMap((entity) => {
      const from = Math.max(entity.offset, start);
      const to = Math.min(entity.offset + entity.length, end);
      return from < to ? [{ ...entity, offset: from - start, length: to - from }] : [];
    }),
  };
}

/** The text without blanks around it; what is marked, code above all, keeps those at its start. */
export function trimmed(styled: StyledText): StyledText {
  const { text, entities } = styled;
  const marksFrom = Math.min(text.length, ...entities.map(({ offset }) => offset));
  const start = Math.min(text.length - text.trimStart().length, marksFrom);
  return sliced(styled, start, Math.max(start, text.trimEnd().length));
}

/**
 * The text under one more mark. Telegram lets code hold nothing and stand in nothing but quotes,
 * lets links hold neither links nor code, and quotes no quotes; where two marks cannot stand
 * together, code stays, and otherwise the outer mark.
 */
export function marked(mark: Mark, inner: StyledText): StyledText {
  const { text } = inner;
  if (text.trim() === "") return inner;
  switch (mark.type) {
    case "code":
    case "pre":
      return { text, entities: [{ ...mark, offset: 0, length: text.length }] };
    case "text_link": {
      const kept = inner.entities.filter(({ type }) => type !== "code" && type !== "text_link");
      return { text, entities: [{ ...mark, offset: 0, length: text.length }, ...kept] };
    }
    case "blockquote":
    case "expandable_blockquote": {
      const kept = inner.entities.filter(({ type }) =>
        type !== "blockquote" && type !== "expandable_blockquote"
      );
      return { text, entities: [{ ...mark, offset: 0, length: text.length }, ...kept] };
    }
    default: {
      const kept = inner.entities.filter(({ type }) => type !== mark.type);
      const code = kept.filter(({ type }) => type === "code" || type === "pre");
      return { text, entities: [...around(mark, text, code), ...kept] };
    }
  }
}

/** The mark on everything but the code. */
function around(mark: Mark, text: string, code: readonly Entity[]): readonly Entity[] {
  const entities: Entity[] = [];
  let start = 0;
  for (const { offset, length } of [...code, { offset: text.length, length: 0 }]) {
    if (text.slice(start, offset).trim() !== "") {
      entities.push({ ...mark, offset: start, length: offset - start });
    }
    start = offset + length;
  }
  return entities;
}
