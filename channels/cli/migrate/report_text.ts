/**
 * What became of a migration, for people.
 * @module
 */

import type { LeftBehind, Migration, Part } from "./plan.ts";

const PARTS: readonly Part[] = ["config", "sessions", "memory", "cron", "skills"];

const TITLES: Readonly<Record<Part, string>> = {
  config: "Settings",
  sessions: "Conversations",
  memory: "Memory",
  cron: "Jobs",
  skills: "Skills",
};

/** Lines of one part that stays behind. */
const LEFT_SHOWN_MAX = 40;
const CHARS_MAX = 300;

const REASONS: Readonly<Record<LeftBehind["reason"], string>> = {
  foreign: "no place for it",
  taken: "taken",
  unreadable: "not readable",
};

/** The report of a migration. */
export function migrationText(migration: Migration): string {
  const { isDryRun, from, to, source, target } = migration;
  const lines = [
    `${isDryRun ? "Would carry" : "Carried"} from ${from} (${shown(source)}) to ${to}:`,
    `  configuration ${shown(target.config)}`,
    `  workspace     ${shown(target.workspace)}`,
    "",
    ...PARTS.flatMap((part) => partLines(part, migration)),
  ];
  if (migration.left.length > 0) lines.push("", "Stays behind:", ...leftLines(migration.left));
  if (migration.notes.length > 0) {
    lines.push("", "Mind:", ...migration.notes.map((note) => `  - ${shown(note)}`));
  }
  if (isDryRun) lines.push("", "Nothing was written. Leave --dry-run out to do it.");
  return `${lines.join("\n")}\n`;
}

function partLines(part: Part, { carried, there }: Migration): readonly string[] {
  const count = (list: Migration["carried"]) => list.filter((item) => item.part === part).length;
  const known = count(there);
  const again = known === 0 ? "" : `, ${known} there already`;
  return [`  ${`${TITLES[part]}:`.padEnd(15)} ${count(carried)}${again}`];
}

function leftLines(left: readonly LeftBehind[]): readonly string[] {
  return PARTS.flatMap((part) => {
    const own = left.filter((item) => item.part === part);
    const lines = own.slice(0, LEFT_SHOWN_MAX).map(({ what, reason, why }) =>
      `  - ${shown(what)} (${REASONS[reason]}): ${shown(why)}`
    );
    const more = own.length - lines.length;
    return more > 0 ? [...lines, `  - and ${more} more; --json lists all`] : lines;
  });
}

/** One line, whatever stands in a name: nothing in it reaches the terminal as a command. */
function shown(text: string): string {
  const line = text.toWellFormed().replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, "�");
  return line.length <= CHARS_MAX ? line : `${line.slice(0, CHARS_MAX).toWellFormed()}…`;
}
