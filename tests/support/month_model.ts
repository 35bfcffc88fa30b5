/**
 * The model of a month: its answers follow from the question, and it spoils a share of them.
 * @module
 */

import { seededRandom } from "../../actors/kernel/random.ts";
import type { ChatMessage, ChatRequest } from "../../providers/provider.ts";
import { estimateTextTokens } from "../../providers/tokens.ts";
import { providerError, type ScriptedAnswer } from "./scripted_provider.ts";

/** Of the questions of turns, one in so many is measured: to measure costs more than to answer. */
const COUNTED_EACH = 4;

/** How many of its answers, of each kind, the model spoils; from 0 to 1. */
export interface Failures {
  readonly turns: number;
  /** Summaries, and what Dream asks. */
  readonly memory: number;
}

/** Of one month. */
export class MonthModel {
  /** Tokens of some questions of turns, as they were asked. */
  readonly turnTokens: number[] = [];
  readonly #failures: Failures;
  readonly #luck = seededRandom(1);
  #turns = 0;
  #spoiled = 0;

  constructor(failures: Failures) {
    this.#failures = failures;
  }

  answer(request: ChatRequest): string | ScriptedAnswer {
    const [system] = request.messages;
    const role = textOf(system);
    const isOfMemory = role.startsWith("You ");
    if (this.#luck.next() < this.#failures[isOfMemory ? "memory" : "turns"]) {
      return spoiled(this.#spoiled++, isOfMemory);
    }
    const question = textOf(request.messages.findLast((message) => message.role === "user"));
    if (role.startsWith("You keep the memory")) return summaryOf(question);
    if (role.startsWith("You put the long-term memory")) return analysisOf(question);
    if (role.startsWith("You carry out")) return edit(request, question);
    if (this.#turns++ % COUNTED_EACH === 0) {
      this.turnTokens.push(estimateTextTokens(JSON.stringify(request.messages)));
    }
    return `I see. ${"那么我们继续说下去，一步一步来。".repeat(8)} As I said, all is well.`;
  }
}

/** What models give instead of an answer. */
function spoiled(count: number, isOfMemory: boolean): ScriptedAnswer {
  if (!isOfMemory || count % 4 === 0) {
    return { error: providerError("provider_overloaded", "The model is busy.") };
  }
  if (count % 4 === 1) return { text: "" };
  if (count % 4 === 2) return { calls: [{ name: "read_file", args: { path: "SOUL.md" } }] };
  return { text: "- it began", finishReason: "length" };
}

/** What somebody said that lasts. */
const LASTING = /请记住：[^。\n]*。|Please remember: [^.\n]*\.|The birthday of [^.\n]*\./g;

function lasting(text: string): string[] {
  return [...new Set(text.match(LASTING) ?? [])];
}

/** Names each message that it is of. */
function summaryOf(stretch: string): string {
  const marks = [...stretch.matchAll(/USER: (#\d+)\b/g)].map(([, mark]) => mark);
  return [...lasting(stretch).map((fact) => `- ${fact}`), `- of ${marks.join(" ")}`].join("\n");
}

function analysisOf(question: string): string {
  const summaries = question.split("# USER.md")[0] ?? "";
  const facts = lasting(summaries).map((fact) => `[MEMORY] ${fact}`);
  return facts.length === 0 ? "[SKIP] nothing lasts" : facts.join("\n");
}

/** One edit with all facts that are not there yet, then the end. */
function edit({ messages }: ChatRequest, question: string): string | ScriptedAnswer {
  if (messages.at(-1)?.role === "tool") return "Done.";
  const [analysis = "", files = ""] = question.split("# memory/MEMORY.md");
  const facts = lasting(analysis).filter((fact) => !files.includes(fact));
  if (facts.length === 0) return "Nothing to do.";
  const lines = facts.map((fact) => `- ${fact}`).join("\n");
  const args = {
    path: "memory/MEMORY.md",
    old_text: "## Notes\n",
    new_text: `## Notes\n\n${lines}\n`,
  };
  return { calls: [{ name: "edit_file", args }] };
}

function textOf(message: ChatMessage | undefined): string {
  const content = message?.content ?? "";
  if (typeof content === "string") return content;
  return content.map((block) => block.type === "text" ? block.text : "").join("");
}
