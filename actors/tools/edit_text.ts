/**
 * One edit of a text: finding the stretch, replacing it, or saying why that cannot be done.
 * @module
 */

import { findMatches, lineOf, type Match, type MatchKind } from "./edit_match.ts";
import { notFoundText } from "./edit_hints.ts";
import { LineEndings } from "./line_endings.ts";
import { withQuotesOf } from "./quote_style.ts";

const LINES_NAMED_MAX = 3;

/** An edit. */
export interface TextEdit {
  /** As it stands in the file; "" only for an empty file. */
  readonly oldText: string;
  readonly newText: string;
  readonly replacesAll: boolean;
  /** Which of several places, from 1. */
  readonly occurrence?: number | undefined;
  /** Blanks at the ends of new lines mean something, as in Markdown. */
  readonly keepsTrailingBlanks: boolean;
}

/** What came of it. `problem` continues `Cannot edit "…": `. */
export type EditOutcome =
  | { readonly state: "edited"; readonly text: string; readonly count: number }
  | { readonly state: "problem"; readonly problem: string };

/** Applies an edit. Each line that is not touched keeps its own end. */
export function editText(text: string, edit: TextEdit): EditOutcome {
  const newText = cleaned(edit.newText, edit.keepsTrailingBlanks);
  if (edit.oldText === "") {
    return text.trim() === ""
      ? { state: "edited", text: newText, count: 1 }
      : problem("old_text is empty, the file is not");
  }
  const view = new LineEndings(text);
  const wanted = edit.oldText.replaceAll("\r\n", "\n");
  const { kind, matches } = findMatches(view.text, wanted);
  if (matches.length === 0) return problem(notFoundText(view.text, wanted));
  const chosen = choose(matches, edit);
  if (chosen === undefined) return problem(ambiguity(view.text, matches, edit.occurrence));
  const pieces = chosen.map((match) => {
    const found = view.text.slice(match.start, match.end);
    const replacement = fitted(newText, { found, wanted, kind });
    return { ...(newText === "" ? wholeLines(match, view.text) : match), text: replacement };
  });
  return { state: "edited", text: view.replace(pieces), count: pieces.length };
}

function choose(matches: readonly Match[], edit: TextEdit): readonly Match[] | undefined {
  if (edit.occurrence !== undefined) {
    const match = matches[edit.occurrence - 1];
    return match && [match];
  }
  return edit.replacesAll || matches.length === 1 ? matches : undefined;
}

/** What a forgiving match differed in is carried over to the replacement. */
function fitted(
  newText: string,
  { found, wanted, kind }: {
    readonly found: string;
    readonly wanted: string;
    readonly kind: MatchKind;
  },
): string {
  const quoted = kind === "straight_quotes" || kind === "trimmed_straight_lines"
    ? withQuotesOf(found, newText)
    : newText;
  return kind === "trimmed_lines" || kind === "trimmed_straight_lines"
    ? reindented(found, wanted, quoted)
    : quoted;
}

/** Gives the replacement the outer indentation of what it replaces. */
function reindented(found: string, wanted: string, replacement: string): string {
  const is = indentation(found);
  const was = indentation(wanted);
  if (is === was) return replacement;
  return replacement.split("\n").map((line) => {
    if (line.trim() === "") return line;
    return line.startsWith(was) ? is + line.slice(was.length) : line;
  }).join("\n");
}

function indentation(text: string): string {
  return /^[ \t]*/.exec(text)?.[0] ?? "";
}

/** A line that is deleted takes its end along; the rest of a line never joins the next one. */
function wholeLines({ start, end }: Match, text: string): Match {
  const beginsLine = start === 0 || text[start - 1] === "\n";
  return beginsLine && text[end] === "\n" && text[end - 1] !== "\n"
    ? { start, end: end + 1 }
    : { start, end };
}

function cleaned(newText: string, keepsTrailingBlanks: boolean): string {
  const text = newText.replaceAll("\r\n", "\n");
  // Only from the first blank of each run on: a long run would be looked at from each of its own.
  return keepsTrailingBlanks ? text : text.replaceAll(/(?<![ \t])[ \t]+$/gm, "");
}

function ambiguity(text: string, matches: readonly Match[], occurrence?: number): string {
  const lines = matches.slice(0, LINES_NAMED_MAX).map(({ start }) => lineOf(text, start));
  const where = `${lines.join(", ")}${matches.length > LINES_NAMED_MAX ? ", …" : ""}`;
  const stands = `old_text stands in it ${matches.length} times (lines ${where})`;
  return occurrence === undefined
    ? `${stands}; give more of its surroundings, or set occurrence or replace_all`
    : `${stands}, so there is no occurrence ${occurrence}`;
}

function problem(text: string): EditOutcome {
  return { state: "problem", problem: text };
}
