/**
 * The skills of a workspace and those that come with the program, as they are now.
 * @module
 */

import { join } from "node:path";
import { getLogger } from "@logtape/logtape";
import { asError } from "../../kernel/errors.ts";
import { readFrontMatter } from "./front_matter.ts";
import type { RequirementCheck } from "./requirements.ts";
import {
  isSkillName,
  type ListedSkill,
  type Skill,
  type SkillProblem,
  type SkillSource,
} from "./skill.ts";
import { skillMetadata } from "./skill_metadata.ts";
import { skillIndex, type SkillTexts, skillTexts } from "./skill_prompt.ts";
import { promptBody } from "./skill_wording.ts";

const logger = getLogger(["troupe", "session", "skills"]);

/** The file that makes a folder a skill. */
export const SKILL_FILE = "SKILL.md";
/** Folders of one kind that are looked at; more skills than that help nobody. */
const FOLDERS_MAX = 1_000;
/** Files that are looked at before one prompt, in turn: a look takes some 5 us. */
const LOOKS_MAX = 64;
/** The first prompt waits for them all: one by one they would take a busy loop's turns each. */
const READS_AT_ONCE = 16;
/** Of a SKILL.md; the rest is not read here. */
const FILE_BYTES_MAX = 256 * 1024;

/** The disk, as far as skills are concerned. */
export interface SkillDisk {
  /** Everything that an edit of a file, or of what a folder holds, changes; null without one. */
  state(path: string): string | null;
  /** Names of the folders in a folder, links to folders among them; none without it. */
  folders(path: string): readonly string[];
  /** At most so much of a file. @throws for what is no file or cannot be read */
  read(path: string, bytesMax: number): Promise<Uint8Array>;
  /** The path with symlinks resolved. */
  realPath(path: string): Promise<string>;
}

/** Where skills are looked for. */
export interface SkillRoot {
  /** Absolute path. */
  readonly path: string;
  readonly source: SkillSource;
}

/** What a library is made from. */
export interface SkillLibraryOptions {
  readonly disk: SkillDisk;
  /** An earlier one wins over a later one. */
  readonly roots: readonly SkillRoot[];
  /** Folder names that are left out, wherever they are. */
  readonly disabled: readonly string[];
  /** Why tools may not read a file; null where they may. */
  readonly refusal: (path: string) => string | null;
  readonly requirements: RequirementCheck;
}

/** A folder that may hold a skill, as it was last looked at. */
interface Place {
  readonly name: string;
  readonly file: string;
  readonly source: SkillSource;
  state: string | null;
  skill: Skill | null;
  problem: SkillProblem | null;
}

/** One root with its folders. */
interface Shelf {
  readonly root: SkillRoot;
  state: string | null;
  places: readonly Place[];
}

/** Notices what changes by dates: a skill that did not change is not read again. */
export class SkillLibrary {
  readonly #options: SkillLibraryOptions;
  readonly #shelves: readonly Shelf[];
  #skills: readonly Skill[] = [];
  #nextLook = 0;
  #refreshing: Promise<void> | null = null;
  #texts: { readonly of: readonly ListedSkill[]; readonly texts: SkillTexts } | null = null;

  constructor(options: SkillLibraryOptions) {
    this.#options = options;
    this.#shelves = options.roots.map((root) => ({ root, state: null, places: [] }));
  }

  /** All that can be read and are not disabled, by name. Never rejects. */
  async list(): Promise<readonly ListedSkill[]> {
    await (this.#refreshing ??= this.#refresh().finally(() => this.#refreshing = null));
    return await this.#options.requirements.listed(this.#skills);
  }

  /** Folders that should be skills and are not. */
  problems(): readonly SkillProblem[] {
    return this.#shelves.flatMap(({ places }) => places)
      .flatMap(({ problem }) => problem === null ? [] : [problem]);
  }

  /** The parts of a conversation's prompt: the same to the byte until something changes. */
  async texts(): Promise<SkillTexts> {
    const listed = await this.list();
    if (this.#texts === null || !isSame(this.#texts.of, listed)) {
      this.#texts = { of: listed, texts: skillTexts(listed) };
    }
    return this.#texts.texts;
  }

  /** The list of all of them, for a subagent: none stands there whole. */
  async index(): Promise<string> {
    return skillIndex(await this.list());
  }

  async #refresh(): Promise<void> {
    let hasChanged = false;
    for (const shelf of this.#shelves) hasChanged = this.#lookForFolders(shelf) || hasChanged;
    const changed = this.#placesToLookAt(hasChanged).filter((place) => this.#look(place));
    for (let next = 0; next < changed.length; next += READS_AT_ONCE) {
      const places = changed.slice(next, next + READS_AT_ONCE);
      await Promise.all(places.map((place) => this.#readPlace(place)));
    }
    if (hasChanged || changed.length > 0) this.#skills = this.#merged();
  }

  /** @returns whether its file is another one than before */
  #look(place: Place): boolean {
    const state = stateOf(place.file, this.#options.disk);
    if (state === place.state) return false;
    place.state = state;
    return true;
  }

  /** @returns whether there are other folders than before */
  #lookForFolders(shelf: Shelf): boolean {
    const { disk } = this.#options;
    const { root } = shelf;
    const state = stateOf(root.path, disk);
    if (state === shelf.state) return false;
    shelf.state = state;
    const names = namesIn(root.path, disk).filter((name) => !name.startsWith(".")).toSorted();
    if (names.length > FOLDERS_MAX) {
      logger.warn("Only {max} of the {count} folders in {path} are looked at for skills", {
        max: FOLDERS_MAX,
        count: names.length,
        path: root.path,
      });
    }
    const known = new Map(shelf.places.map((place) => [place.name, place]));
    shelf.places = names.slice(0, FOLDERS_MAX).map((name): Place =>
      known.get(name) ?? {
        name,
        file: join(root.path, name, SKILL_FILE),
        source: root.source,
        state: null,
        skill: null,
        problem: null,
      }
    );
    return true;
  }

  /** All of them after a change; else some, and the next ones the next time. */
  #placesToLookAt(isWhole: boolean): readonly Place[] {
    const places = this.#shelves.flatMap(({ places }) => places);
    if (isWhole || places.length <= LOOKS_MAX) return places;
    const start = this.#nextLook % places.length;
    this.#nextLook = start + LOOKS_MAX;
    return [...places.slice(start), ...places.slice(0, start)].slice(0, LOOKS_MAX);
  }

  async #readPlace(place: Place): Promise<void> {
    place.skill = null;
    place.problem = null;
    if (place.state === null) return;
    const read = await this.#read(place);
    if (typeof read !== "string") {
      place.skill = read;
      return;
    }
    place.problem = { path: place.file, reason: read };
    logger.warn("Left out the skill {path}: {reason}", { path: place.file, reason: read });
  }

  /** The skill, or why it is none. */
  async #read({ name, file, source }: Place): Promise<Skill | string> {
    const { disk, refusal } = this.#options;
    if (!isSkillName(name)) {
      return "the name of its folder is not made of letters, digits, -, _, . and single spaces";
    }
    try {
      const path = await disk.realPath(file);
      const refused = refusal(path);
      if (refused !== null) return refused;
      const folder = path.slice(0, -(SKILL_FILE.length + 1));
      if (!path.endsWith(`/${SKILL_FILE}`) && !path.endsWith(`\\${SKILL_FILE}`)) {
        return `it is a link to "${path}", which is no ${SKILL_FILE}`;
      }
      const text = new TextDecoder().decode(await disk.read(path, FILE_BYTES_MAX));
      const { head, problem, body } = await readFrontMatter(text);
      if (problem !== null) return problem;
      const metadata = skillMetadata(head);
      return {
        ...metadata,
        folderName: name,
        description: metadata.description ?? name,
        source,
        folder,
        path,
        body: metadata.isAlways ? promptBody(body, folder) : "",
      };
    } catch (error) {
      return `it cannot be read (${asError(error).message})`;
    }
  }

  #merged(): readonly Skill[] {
    const byName = new Map<string, Skill>();
    for (const { places } of this.#shelves) {
      for (const { name, skill } of places) {
        if (skill !== null && !byName.has(name)) byName.set(name, skill);
      }
    }
    return [...byName.values()]
      .filter(({ folderName }) => !this.#options.disabled.includes(folderName))
      .toSorted((a, b) => a.folderName < b.folderName ? -1 : 1);
  }
}

/** What cannot be looked at counts as changed to "unreadable", once. */
function stateOf(path: string, disk: SkillDisk): string | null {
  try {
    return disk.state(path);
  } catch (error) {
    return asError(error).name;
  }
}

function namesIn(path: string, disk: SkillDisk): readonly string[] {
  try {
    return disk.folders(path);
  } catch (error) {
    logger.warn("Cannot look for skills in {path}: {reason}", {
      path,
      reason: asError(error).message,
    });
    return [];
  }
}

function isSame(a: readonly ListedSkill[], b: readonly ListedSkill[]): boolean {
  return a.length === b.length &&
    a.every(({ skill, missing }, index) =>
      skill === b[index]?.skill && missing.join() === b[index].missing.join()
    );
}
