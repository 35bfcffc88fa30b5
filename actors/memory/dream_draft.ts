/**
 * What Dream's model works on in the second phase: a draft of the memory files, and new skills.
 * Nothing of it is written before the whole batch is done.
 * @module
 */

import { z } from "zod";
import type { ToolDefinition } from "../../providers/provider.ts";
import type { JsonObject } from "../kernel/json.ts";
import { PATH_IN_DREAM } from "./dream_prompts.ts";
import { editedText } from "./edit_memory.ts";
import type { DreamSkills } from "./ports.ts";
import {
  MEMORY_FILE_NAMES,
  type MemoryFileName,
  type MemoryTexts,
  PROPOSED_SKILLS,
} from "./scope.ts";

/** A file that grows beyond it would be cut in the prompt. */
const FILE_CHARS_MAX = 20_000;
/** Proposals that wait for the owner's word; more are no help in deciding. */
const PROPOSALS_MAX = 20;
const SKILL_PATH = /^(?:\.\/)?skills\/(?:\.proposed\/)?([a-z0-9][a-z0-9-]{0,63})\/SKILL\.md$/;

const PATH = { path: { type: "string", description: "Path below the workspace" } };

/** The tools of the second phase. */
export const DREAM_TOOLS: readonly ToolDefinition[] = [
  tool("read_file", "Read a memory file or a skill.", PATH),
  tool("edit_file", "Replace a stretch of a memory file; old_text must stand there once.", {
    ...PATH,
    old_text: { type: "string", description: "As it stands in the file" },
    new_text: { type: "string", description: "What shall stand there" },
  }),
  tool("write_file", "Propose a new skill at skills/<name>/SKILL.md.", {
    ...PATH,
    content: { type: "string", description: "The whole text" },
  }),
];

const READ = z.object({ path: z.string() });
const EDIT = z.object({ path: z.string(), old_text: z.string(), new_text: z.string() });
const WRITE = z.object({ path: z.string(), content: z.string() });

/** What a draft is made from. */
export interface DraftOptions {
  readonly texts: MemoryTexts;
  /** Files that those who speak here must not change. */
  readonly fixed: ReadonlySet<MemoryFileName>;
  /** Names of skills that are there, and of those that are proposed. */
  readonly skills: ReadonlySet<string>;
  /** How many are proposed. */
  readonly proposed: number;
  readonly checkSkill: DreamSkills["check"];
  readonly readSkill: (name: string) => Promise<string | null>;
  /** Skills are everybody's: what one person said must not come to others in one. */
  readonly mayPropose: boolean;
}

/** A draft; one for each batch. */
export class DreamDraft {
  readonly #options: DraftOptions;
  readonly #texts: { [file in MemoryFileName]: string };
  readonly #proposals = new Map<string, string>();

  constructor(options: DraftOptions) {
    this.#options = options;
    this.#texts = { ...options.texts };
  }

  get texts(): MemoryTexts {
    return { ...this.#texts };
  }

  /** New files by path. */
  get proposals(): ReadonlyMap<string, string> {
    return this.#proposals;
  }

  /** Runs a call of the model; what cannot be done is its result. */
  async run(name: string, args: JsonObject): Promise<string> {
    switch (name) {
      case "read_file":
        return await this.#read(READ.safeParse(args).data?.path);
      case "edit_file":
        return await this.#edit(EDIT.safeParse(args).data);
      case "write_file":
        return await this.#write(WRITE.safeParse(args).data);
      default:
        return `Error: there is no tool "${name}" here`;
    }
  }

  async #read(path: string | undefined): Promise<string> {
    if (path === undefined) return "Error: give a path";
    const file = fileOf(path);
    if (file !== undefined) return this.#texts[file] || "(empty)";
    const skill = SKILL_PATH.exec(path)?.[1];
    const text = skill === undefined ? null : await this.#options.readSkill(skill);
    return text ?? `Error: "${path}" is neither a memory file nor a skill that is there`;
  }

  async #edit(edit: z.infer<typeof EDIT> | undefined): Promise<string> {
    if (edit === undefined) return "Error: give path, old_text and new_text";
    const { path, old_text: from, new_text: to } = edit;
    const file = fileOf(path);
    if (file === undefined) return `Error: only ${MEMORY_PATHS} can be edited here`;
    if (this.#options.fixed.has(file)) {
      return `Error: "${path}" is not changed by what was said here; leave it`;
    }
    const edited = await editedText(this.#texts[file], { type: "replace", from, to });
    if (edited.state === "refused") return `Error: cannot edit "${path}": ${edited.problem}`;
    const { text } = edited;
    if (text.length > FILE_CHARS_MAX && text.length > this.#texts[file].length) {
      return `Error: "${path}" would have ${text.length} characters, which is more than ` +
        `${FILE_CHARS_MAX}: shorten or remove what matters least first`;
    }
    this.#texts[file] = text;
    return `Edited ${path}`;
  }

  async #write(write: z.infer<typeof WRITE> | undefined): Promise<string> {
    if (write === undefined) return "Error: give path and content";
    if (!this.#options.mayPropose) {
      return "Error: skills belong to everybody and are not proposed here; leave it";
    }
    const { path, content } = write;
    const name = SKILL_PATH.exec(path)?.[1];
    if (name === undefined) {
      return `Error: only skills/<name>/SKILL.md can be written here, not "${path}"`;
    }
    const { skills, proposed, checkSkill } = this.#options;
    if (skills.has(name)) return `Error: there is a skill "${name}" already`;
    if (proposed + this.#proposals.size >= PROPOSALS_MAX) {
      return `Error: ${PROPOSALS_MAX} proposed skills wait for the owner already; leave it`;
    }
    const checked = await checkSkill(name, content);
    if (checked.state === "wrong") return `Error: cannot propose "${name}": ${checked.problem}`;
    this.#proposals.set(`${PROPOSED_SKILLS}/${name}/SKILL.md`, checked.text);
    return `Proposed the skill ${name}`;
  }
}

const MEMORY_PATHS = Object.values(PATH_IN_DREAM).join(", ");

function fileOf(path: string): MemoryFileName | undefined {
  const plain = path.replace(/^\.\//, "");
  return MEMORY_FILE_NAMES.find((file) => PATH_IN_DREAM[file] === plain);
}

function tool(name: string, description: string, properties: JsonObject): ToolDefinition {
  const required = Object.keys(properties);
  return { name, description, parameters: { type: "object", properties, required } };
}
