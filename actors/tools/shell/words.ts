/**
 * What the words of a shell command come to, as far as that can be known before it runs.
 * @module
 */

import type { Word, WordPart } from "unbash";

/** Braces and splitting may make many words of one; past this many the rest is left out. */
const FIELDS_MAX = 64;

/** A word after expansion. */
export interface Field {
  /** What is known of it; what is not known is left out. */
  readonly text: string;
  /** False where a part depends on something that only the run will tell. */
  readonly isFixed: boolean;
  /** False where quotes stood around any of it: such a word is text, hardly ever a path. */
  readonly isBare: boolean;
}

/** Values of variables that the command itself, or its environment, has set. */
export type Variables = ReadonlyMap<string, string>;

/** A piece of a word: its text, null if unknown, and whether blanks in it separate words. */
interface Piece {
  readonly text: string | null;
  readonly splits: boolean;
  readonly isBare: boolean;
}

/** The words that `word` becomes: quotes gone, known variables put in, braces multiplied. */
export function fieldsOf(word: Word, variables: Variables): readonly Field[] {
  const { parts } = word;
  if (parts === undefined) return [{ text: word.value, isFixed: true, isBare: true }];
  let variants: Piece[][] = [[]];
  for (const part of parts) {
    const choices = part.type === "BraceExpansion" ? braceChoices(part.text) : undefined;
    if (choices === undefined || variants.length * choices.length > FIELDS_MAX) {
      const pieces = piecesOf(part, variables, false);
      for (const variant of variants) variant.push(...pieces);
    } else {
      variants = choices.flatMap((text) =>
        variants.map((before) => [...before, { text, splits: false, isBare: true }])
      );
    }
  }
  return variants.flatMap(split).slice(0, FIELDS_MAX);
}

/** The one text that a word comes to, where it is not split: redirections, assignments. */
export function textOf(word: Word, variables: Variables): Field {
  const { parts } = word;
  if (parts === undefined) return { text: word.value, isFixed: true, isBare: true };
  return join(parts.flatMap((part) => piecesOf(part, variables, true)));
}

function piecesOf(part: WordPart, variables: Variables, isQuoted: boolean): readonly Piece[] {
  const known = (text: string | null | undefined, splits = false): readonly Piece[] => [
    { text: text ?? null, splits: splits && !isQuoted, isBare: !isQuoted },
  ];
  switch (part.type) {
    case "Literal":
    case "Glob":
      return known(part.value);
    case "SingleQuoted":
    case "AnsiCQuoted":
      return [{ text: part.value, splits: false, isBare: false }];
    case "DoubleQuoted":
    case "LocaleString":
      return part.parts.flatMap((inner) => piecesOf(inner, variables, true));
    case "SimpleExpansion":
      return known(variables.get(part.text.slice(1)), true);
    case "ParameterExpansion": {
      const { parameter, operation, prefix, index } = part;
      if (prefix !== undefined || index !== undefined) return known(null);
      const value = variables.get(parameter);
      if (operation === undefined) return known(value, true);
      const isDefault = operation.type === "Default" && /^:?[-=]$/.test(operation.operator);
      if (!isDefault) return known(null);
      return value ? known(value, true) : known(textOf(operation.operand, variables).text, true);
    }
    case "BraceExpansion":
    case "ExtendedGlob":
      return known(part.text);
    case "CommandExpansion":
    case "ArithmeticExpansion":
    case "ProcessSubstitution":
      return known(null);
  }
}

/** `{a,b}` gives a and b; ranges and nested braces stay as they are written. */
function braceChoices(text: string): readonly string[] {
  const inner = text.slice(1, -1);
  return inner.includes(",") && !/[{}$`'"]/.test(inner) ? inner.split(",") : [text];
}

function join(pieces: readonly Piece[]): Field {
  return {
    text: pieces.map(({ text }) => text ?? "").join(""),
    isFixed: pieces.every(({ text }) => text !== null),
    isBare: pieces.every(({ isBare }) => isBare),
  };
}

/** Cuts at blanks that came out of unquoted variables, as the shell does. */
function split(pieces: readonly Piece[]): readonly Field[] {
  const fields: Piece[][] = [[]];
  for (const piece of pieces) {
    if (!piece.splits || piece.text === null) {
      fields.at(-1)?.push(piece);
      continue;
    }
    piece.text.split(/[ \t\n]+/).forEach((text, index) => {
      if (index > 0) fields.push([]);
      if (text !== "") fields.at(-1)?.push({ ...piece, text });
    });
  }
  return fields.filter((field) => field.length > 0).map(join);
}
