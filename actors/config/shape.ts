/**
 * What a schema expects where, read from the schema itself: which keys there are and how they may
 * be spelled, and which kind of value each takes. Reading, casting and typing errors need no more.
 * @module
 */

import { z } from "zod";
import { toSnake } from "./spelling.ts";

/** An object with known keys, and with `rest` for all others (null: there are no others). */
export interface ObjectShape {
  readonly kind: "object";
  readonly fields: ReadonlyMap<string, Shape>;
  readonly rest: Shape | null;
  /** Further spellings of a field besides camelCase and snake_case, in order of precedence. */
  readonly aliases: ReadonlyMap<string, readonly string[]>;
}

/** What is expected at one place. */
export type Shape =
  | ObjectShape
  | { readonly kind: "list"; readonly item: Shape }
  | { readonly kind: "number" | "boolean" | "text" | "any" };

/** An object's shape from its parts. */
export function objectShape(
  fields: Iterable<readonly [string, Shape]>,
  rest: Shape | null = null,
  aliases: Iterable<readonly [string, readonly string[]]> = [],
): ObjectShape {
  return { kind: "object", fields: new Map(fields), rest, aliases: new Map(aliases) };
}

/** The shape that a schema expects as input. */
export function shapeOf(schema: z.core.$ZodType): Shape {
  if (schema instanceof z.ZodObject) {
    const fields = Object.entries(schema.shape).map(([key, field]) =>
      [key, shapeOf(field)] as const
    );
    const { catchall } = schema.def;
    const isOpen = catchall !== undefined && !(catchall instanceof z.ZodNever);
    return objectShape(fields, isOpen ? shapeOf(catchall) : null);
  }
  if (schema instanceof z.ZodRecord) return objectShape([], shapeOf(schema.def.valueType));
  if (schema instanceof z.ZodArray) return { kind: "list", item: shapeOf(schema.def.element) };
  if (schema instanceof z.ZodNumber) return { kind: "number" };
  if (schema instanceof z.ZodBoolean) return { kind: "boolean" };
  if (schema instanceof z.ZodString || schema instanceof z.ZodEnum) return { kind: "text" };
  const inner = innerSchema(schema);
  return inner === null ? { kind: "any" } : shapeOf(inner);
}

/** What a wrapper wraps, as far as input is concerned. */
function innerSchema(schema: z.core.$ZodType): z.core.$ZodType | null {
  if (
    schema instanceof z.ZodOptional || schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodReadonly || schema instanceof z.ZodCatch ||
    schema instanceof z.ZodNonOptional
  ) return schema.def.innerType;
  if (!(schema instanceof z.ZodPipe)) return null;
  return schema.def.in instanceof z.ZodTransform ? schema.def.out : schema.def.in;
}

/** A field that a written key means; the spelling with the lowest rank counts. */
export interface FoundField {
  readonly field: string;
  readonly rank: number;
}

/** All spellings of an object's fields, camelCase first. */
export function spellingsOf(shape: ObjectShape): ReadonlyMap<string, FoundField> {
  const spellings = new Map<string, FoundField>();
  for (const field of shape.fields.keys()) {
    const aliases = shape.aliases.get(field) ?? [];
    const written = [field, toSnake(field), ...aliases.flatMap((alias) => [alias, toSnake(alias)])];
    written.forEach((spelling, rank) => {
      if (!spellings.has(spelling)) spellings.set(spelling, { field, rank });
    });
  }
  return spellings;
}
