/**
 * Reads the text of a configuration file: strict JSON, with a position for every mistake.
 * @module
 */

import { type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";
import { isObject, type JsonObject, type JsonValue } from "../kernel/json.ts";
import { ConfigError, type ConfigFailure } from "./errors.ts";
import { type KeyPath, quote } from "./key_path.ts";
import { kindOf } from "./tree.ts";

/** Deepest nesting that is read; a configuration needs about eight levels. */
const DEPTH_MAX = 100;

/**
 * The object that `text` holds. Comments and trailing commas are mistakes here, so that any other
 * program can read the file too; a byte order mark is not.
 *
 * @throws {ConfigError} `config_malformed` or `config_not_object`
 */
export function parseConfigText(text: string, file: string): JsonObject {
  const json = text.startsWith("\uFEFF") ? text.slice(1) : text;
  if (isTooDeep(json)) {
    throw refusal(
      "config_malformed",
      file,
      `nested more than ${DEPTH_MAX} levels deep; flatten it`,
    );
  }
  const value = parse(json, file);
  if (isObject(value)) return value;
  throw refusal(
    "config_not_object",
    file,
    `the file holds ${kindOf(value)} instead of an object; put all settings between { and }`,
  );
}

/** The keys that stand more than once in one object, each once; the last value counts. */
export function repeatedKeys(text: string): readonly KeyPath[] {
  const root = parseTree(text.startsWith("\uFEFF") ? text.slice(1) : text);
  return root === undefined ? [] : repeatedIn(root, []);
}

function repeatedIn(node: Node, path: KeyPath): readonly KeyPath[] {
  const { type, children = [] } = node;
  if (type === "array") return children.flatMap((child, at) => repeatedIn(child, [...path, at]));
  if (type !== "object") return [];
  const seen = new Set<string>();
  const repeated = new Set<string>();
  const inner = children.flatMap(({ children: [key, value] = [] }) => {
    const name = String(key?.value);
    (seen.has(name) ? repeated : seen).add(name);
    return value === undefined ? [] : repeatedIn(value, [...path, name]);
  });
  return [...[...repeated].map((name) => [...path, name]), ...inner];
}

function parse(json: string, file: string): JsonValue {
  try {
    return JSON.parse(json);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const { offset, what } = firstMistake(json);
    const lines = json.slice(0, offset).split(/\r\n|\r|\n/);
    const column = (lines.at(-1) ?? "").length + 1;
    throw refusal(
      "config_malformed",
      file,
      `malformed JSON: ${what} at line ${lines.length}, column ${column}; correct it there`,
    );
  }
}

/** Where the text stops being JSON, without showing any of it. */
function firstMistake(json: string): { readonly offset: number; readonly what: string } {
  if (json.trim() === "") return { offset: 0, what: "the file is empty" };
  const errors: ParseError[] = [];
  parseTree(json, errors, { disallowComments: true, allowTrailingComma: false });
  const [first] = errors.toSorted((one, other) => one.offset - other.offset);
  if (first === undefined) return { offset: 0, what: "the text is not JSON" };
  const mistake = printParseErrorCode(first.error);
  return { offset: first.offset, what: describeMistake(mistake, json.slice(first.offset)) };
}

/** @param rest The text from the mistake on */
function describeMistake(mistake: string, rest: string): string {
  if (rest.trim() === "") return "unexpected end of the file";
  if (mistake === "InvalidCommentToken") return "a comment (JSON has none)";
  const isExpected = mistake === "PropertyNameExpected" || mistake === "ValueExpected";
  if (isExpected && /^[}\]]/.test(rest)) return "a comma with nothing after it";
  // `CommaExpected` as `comma expected`.
  return mistake.replace(/(?<!^)[A-Z]/g, (letter) => ` ${letter}`).toLowerCase();
}

/** Counted here, as both parsers and all later walks are recursive. */
function isTooDeep(json: string): boolean {
  let depth = 0;
  let isInText = false;
  for (let index = 0; index < json.length; index++) {
    const character = json[index];
    if (isInText) {
      if (character === "\\") index++;
      if (character === '"') isInText = false;
    } else if (character === '"') {
      isInText = true;
    } else if (character === "{" || character === "[") {
      if (++depth > DEPTH_MAX) return true;
    } else if (character === "}" || character === "]") {
      depth--;
    }
  }
  return false;
}

/** Without a cause: the engine's own message would quote the text, secrets included. */
function refusal(code: ConfigFailure, file: string, why: string): ConfigError {
  return new ConfigError([{ code, key: "", line: `Cannot load ${quote(file)}: ${why}` }]);
}
