/**
 * The system prompt: standing instructions, the workspace's files, memory, and what happened
 * lately. It holds no clock time, so that model vendors can cache it.
 * @module
 */

import { recentHistory } from "./recent_history.ts";
import type { PromptFiles } from "./ports.ts";
import { identityText } from "./prompt_texts.ts";

/** Between the parts of the prompt. */
const SEPARATOR = "\n\n---\n\n";

/** Files of the workspace that shape the assistant, in the order in which they are read. */
const BOOTSTRAP_FILES = ["AGENTS.md", "SOUL.md", "USER.md", "TOOLS.md"] as const;
/** Characters of a file that go into the prompt. */
const FILE_CHARS_MAX = 20_000;
const MEMORY_FILE = "memory/MEMORY.md";
const HISTORY_FILE = "memory/history.jsonl";
const DREAM_CURSOR_FILE = "memory/.dream_cursor";

/** What the prompt says besides the workspace's files. */
export interface PromptFacts {
  /** Absolute path. */
  readonly workspace: string;
  /** System, processor and program version, for the model. */
  readonly runtime: string;
  readonly isWindows: boolean;
  /** A MEMORY.md that still equals it is left out. */
  readonly memoryTemplate: string;
}

/** Builds system prompts for one workspace; all sessions share it. */
export class PromptBuilder {
  readonly #files: PromptFiles;
  readonly #facts: PromptFacts;
  /** The last history file and what came of it: it is long, and rarely changes. */
  #history: { readonly text: string; readonly cursor: string; readonly part: string } | null = null;

  constructor(files: PromptFiles, facts: PromptFacts) {
    this.#files = files;
    this.#facts = facts;
  }

  /**
   * The prompt for a conversation in `channel`.
   *
   * @throws what the port throws for a file that exists and cannot be read
   */
  async build(channel: string): Promise<string> {
    const [bootstrap, memory, history, cursor] = await Promise.all([
      Promise.all(BOOTSTRAP_FILES.map((name) => this.#files.read(name))),
      this.#files.read(MEMORY_FILE),
      this.#files.read(HISTORY_FILE),
      this.#files.read(DREAM_CURSOR_FILE),
    ]);
    const parts = [
      identityText({ ...this.#facts, channel }),
      bootstrapPart(bootstrap),
      memoryPart(memory, this.#facts.memoryTemplate),
      this.#historyPart(history ?? "", cursor ?? ""),
    ];
    return parts.filter((part) => part !== "").join(SEPARATOR);
  }

  #historyPart(text: string, cursor: string): string {
    if (this.#history?.text !== text || this.#history.cursor !== cursor) {
      this.#history = { text, cursor, part: recentHistory(text, cursor) };
    }
    return this.#history.part;
  }
}

function bootstrapPart(contents: readonly (string | null)[]): string {
  const sections = BOOTSTRAP_FILES.map((name, index) => {
    const content = contents[index]?.trim() ?? "";
    return content === "" ? "" : `## ${name}\n\n${capped(content, name)}`;
  });
  return sections.filter((section) => section !== "").join("\n\n");
}

function memoryPart(content: string | null, template: string): string {
  const memory = content?.trim() ?? "";
  if (memory === "" || memory === template.trim()) return "";
  return `# Memory\n\n## Long-term memory\n\n${capped(memory, MEMORY_FILE)}`;
}

function capped(content: string, name: string): string {
  if (content.length <= FILE_CHARS_MAX) return content;
  const left = content.length - FILE_CHARS_MAX;
  return `${content.slice(0, FILE_CHARS_MAX).toWellFormed()}\n\n` +
    `[${name} goes on for ${left} characters; read the file for the rest]`;
}
