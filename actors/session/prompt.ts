/**
 * The system prompt: standing instructions, the workspace's files, memory, and what happened
 * lately. It holds no clock time, so that model vendors can cache it.
 * @module
 */

import { MemoryScope } from "../memory/scope.ts";
import { RECENT_BYTES_MAX, recentHistory } from "./recent_history.ts";
import type { PromptFiles, PromptSection } from "./ports.ts";
import { identityText } from "./prompt_texts.ts";
import type { SkillTexts } from "./skills/skill_prompt.ts";

/** Between the parts of the prompt. */
const SEPARATOR = "\n\n---\n\n";

/** Files of the workspace that shape the assistant, in the order in which they are read. */
const BOOTSTRAP_FILES = ["AGENTS.md", "SOUL.md", "USER.md", "TOOLS.md"] as const;
/** Characters of a file that go into the prompt. */
const FILE_CHARS_MAX = 20_000;
/** As the model knows it, whosever it is. */
const MEMORY_FILE = "memory/MEMORY.md";
/** Scopes whose recent history is kept ready. */
const SCOPES_READY_MAX = 100;

/** What the prompt says besides the workspace's files. */
export interface PromptFacts {
  /** Absolute path. */
  readonly workspace: string;
  /** System, processor and program version, for the model. */
  readonly runtime: string;
  readonly isWindows: boolean;
  /** A MEMORY.md that still equals it is left out. */
  readonly memoryTemplate: string;
  /** A USER.md that still equals it is left out. @default none is */
  readonly userTemplate?: string;
}

/** Says what the prompt tells of skills. */
export interface SkillTextsSource {
  texts(): Promise<SkillTexts>;
}

/** A history file as it was read, and what came of it. */
interface ReadyHistory {
  readonly text: string;
  readonly cursor: string;
  readonly part: string;
}

/** Builds system prompts for one workspace; all sessions share it. */
export class PromptBuilder {
  readonly #files: PromptFiles;
  readonly #facts: PromptFacts;
  readonly #skills: SkillTextsSource | undefined;
  /** By the scope's folder: histories rarely change. */
  readonly #histories = new Map<string, ReadyHistory>();

  constructor(files: PromptFiles, facts: PromptFacts, skills?: SkillTextsSource) {
    this.#files = files;
    this.#facts = facts;
    this.#skills = skills;
  }

  /**
   * The prompt for a conversation in `channel`, with the memory of `scope`. It is the same to the
   * byte until a file of it changes.
   *
   * @throws what the port throws for a file that exists and cannot be read
   */
  async build(channel: string, scope: MemoryScope = MemoryScope.global): Promise<string> {
    const parts = await this.#parts(channel, scope);
    return parts.map(joined).join(SEPARATOR);
  }

  /** The same in pieces. @throws as {@link PromptBuilder.build} */
  async sections(
    channel: string,
    scope: MemoryScope = MemoryScope.global,
  ): Promise<readonly PromptSection[]> {
    return (await this.#parts(channel, scope)).flat();
  }

  async #parts(channel: string, scope: MemoryScope): Promise<readonly PromptSection[][]> {
    const [bootstrap, memory, history, cursor, skills] = await Promise.all([
      Promise.all(BOOTSTRAP_FILES.map((name) => this.#readBootstrap(name, scope))),
      this.#files.read(scope.pathOf("MEMORY")),
      this.#files.read(scope.historyPath, RECENT_BYTES_MAX),
      this.#files.read(scope.dreamCursorPath),
      this.#skills?.texts(),
    ]);
    const parts: readonly PromptSection[][] = [
      [{ name: "instructions", text: identityText({ ...this.#facts, channel }) }],
      bootstrapSections(bootstrap),
      [{ name: MEMORY_FILE, text: memoryPart(memory, this.#facts.memoryTemplate) }],
      [{ name: "active skills", text: skills?.active ?? "" }],
      [{ name: "skills", text: skills?.index ?? "" }],
      [{ name: "recent history", text: this.#historyPart(scope, history ?? "", cursor ?? "") }],
    ];
    return parts.map((part) => part.filter(({ text }) => text !== ""))
      .filter((part) => part.length > 0);
  }

  async #readBootstrap(name: string, scope: MemoryScope): Promise<string | null> {
    if (name !== "USER.md") return await this.#files.read(name);
    const text = await this.#files.read(scope.pathOf("USER"));
    const { userTemplate } = this.#facts;
    return text?.trim() === userTemplate?.trim() ? null : text;
  }

  #historyPart({ folder }: MemoryScope, text: string, cursor: string): string {
    const ready = this.#histories.get(folder);
    if (ready?.text === text && ready.cursor === cursor) return ready.part;
    this.#histories.delete(folder);
    const [oldest] = this.#histories.keys();
    if (oldest !== undefined && this.#histories.size >= SCOPES_READY_MAX) {
      this.#histories.delete(oldest);
    }
    const part = recentHistory(text, cursor);
    this.#histories.set(folder, { text, cursor, part });
    return part;
  }
}

function joined(sections: readonly PromptSection[]): string {
  return sections.map(({ text }) => text).join("\n\n");
}

function bootstrapSections(contents: readonly (string | null)[]): PromptSection[] {
  return BOOTSTRAP_FILES.map((name, index) => {
    const content = contents[index]?.trim() ?? "";
    return { name, text: content === "" ? "" : `## ${name}\n\n${capped(content, name)}` };
  });
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
