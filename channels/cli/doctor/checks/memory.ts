/**
 * Whether memory and conversations can be read.
 * @module
 */

import { join } from "node:path";
import { asError } from "../../../../actors/kernel/errors.ts";
import { namesIn, readText } from "../adapters/machine.ts";
import { type Check, fault, type Finding, LOCAL_MS, ok, warning, withConfig } from "../finding.ts";

/** Files that each prompt begins with. */
const PROMPT_FILES = ["memory/MEMORY.md", "SOUL.md", "USER.md", "AGENTS.md"];
const HISTORY = "memory/history.jsonl";
/** Together they go into every prompt; more crowds the conversation out. */
const PROMPT_CHARS_MAX = 60_000;

/** Reads the files. */
export const memoryCheck: Check = {
  name: "Memory",
  timeoutMs: LOCAL_MS,
  run: withConfig(async ({ loaded: { locations: { workspace } } }) => {
    const read = await Promise.all(
      [...PROMPT_FILES, HISTORY].map((path) => readFile(workspace, path)),
    );
    const texts = new Map(read.flatMap((file) => "text" in file ? [[file.path, file.text]] : []));
    const faults = read.flatMap((file) => "finding" in file ? [file.finding] : []);
    const chars = PROMPT_FILES.reduce((sum, path) => sum + (texts.get(path)?.length ?? 0), 0);
    const findings = [
      ...faults,
      ...damagedLines(texts.get(HISTORY) ?? ""),
      ...(await setAside(workspace)),
      ...(chars > PROMPT_CHARS_MAX
        ? [
          warning(
            `${PROMPT_FILES.join(", ")} hold ${chars} characters: each prompt begins with them`,
            "shorten them",
          ),
        ]
        : []),
    ];
    return findings.length > 0 ? findings : [ok("can be read")];
  }),
};

type ReadFile =
  | { readonly path: string; readonly text: string }
  | { readonly path: string; readonly finding: Finding };

async function readFile(workspace: string, path: string): Promise<ReadFile> {
  try {
    return { path, text: await readText(join(workspace, path)) ?? "" };
  } catch (error) {
    const why = error instanceof TypeError ? "it is not UTF-8" : asError(error).message;
    return { path, finding: fault(`${path} cannot be read: ${why}`, `save ${path} as UTF-8 text`) };
  }
}

function damagedLines(history: string): readonly Finding[] {
  const damaged = history.split("\n").filter((line) => line.trim() !== "" && !isJson(line)).length;
  if (damaged === 0) return [];
  return [
    warning(
      `${HISTORY} has ${damaged} lines that are no JSON: they are passed over`,
      "correct or remove them",
    ),
  ];
}

/** Lines of conversations that could not be read were put beside them. */
async function setAside(workspace: string): Promise<readonly Finding[]> {
  const names = (await namesIn(join(workspace, "sessions"))).filter((name) =>
    name.endsWith(".corrupt")
  );
  if (names.length === 0) return [];
  return [
    warning(
      `${names.length} conversations had lines that could not be read; they stand in sessions/${
        names[0]
      } …`,
      "look into them, then remove them",
    ),
  ];
}

function isJson(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}
