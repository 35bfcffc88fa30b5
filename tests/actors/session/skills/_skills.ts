/**
 * Skills on disk for tests.
 * @module
 */

import { dirname, join } from "node:path";
import { diskSkills } from "../../../../actors/session/skills/adapters/disk_skills.ts";
import {
  RequirementCheck,
  type Requirements,
} from "../../../../actors/session/skills/requirements.ts";
import {
  type SkillDisk,
  SkillLibrary,
  type SkillLibraryOptions,
} from "../../../../actors/session/skills/skill_library.ts";
import { ManualClock } from "../../../support/manual_clock.ts";

/** Writes files below a folder, making those above. */
export async function writeAll(
  root: string,
  texts: Readonly<Record<string, string>>,
): Promise<void> {
  for (const [path, text] of Object.entries(texts)) {
    await Deno.mkdir(dirname(join(root, path)), { recursive: true });
    await Deno.writeTextFile(join(root, path), text);
  }
}

/** A SKILL.md with a description and more lines of front matter. */
export function skillText(description: string, ...more: readonly string[]): string {
  return ["---", `description: ${description}`, ...more, "---", "", "Do it.", ""].join("\n");
}

/** Counts what is read. */
export class CountingDisk implements SkillDisk {
  looks = 0;
  reads = 0;
  /** Most files that were read at the same time. */
  readsAtOnce = 0;
  #reading = 0;

  state(path: string): string | null {
    this.looks++;
    return diskSkills.state(path);
  }
  folders(path: string): readonly string[] {
    return diskSkills.folders(path);
  }
  async read(path: string, bytesMax: number): Promise<Uint8Array> {
    this.reads++;
    this.readsAtOnce = Math.max(this.readsAtOnce, ++this.#reading);
    try {
      return await diskSkills.read(path, bytesMax);
    } finally {
      this.#reading--;
    }
  }
  realPath(path: string): Promise<string> {
    return diskSkills.realPath(path);
  }
}

/** A check that finds these and has these tools. */
export function checkWith(
  { bins = [], env = [], tools = [], os = "linux" }: Partial<Requirements> & {
    readonly tools?: readonly string[];
    readonly os?: string;
  } = {},
): RequirementCheck {
  return new RequirementCheck({
    clock: new ManualClock(),
    os,
    hasTool: (name) => tools.includes(name),
    find: () => Promise.resolve({ bins, env }),
  });
}

/** A library of `<root>/ws` over `<root>/bundled`. */
export function libraryAt(
  root: string,
  options: Partial<SkillLibraryOptions> = {},
): SkillLibrary {
  return new SkillLibrary({
    disk: diskSkills,
    roots: [
      { path: join(root, "ws"), source: "workspace" },
      { path: join(root, "bundled"), source: "bundled" },
    ],
    disabled: [],
    refusal: (path) => path.startsWith(`${root}/`) ? null : `it is a link to "${path}"`,
    requirements: checkWith(),
    ...options,
  });
}
