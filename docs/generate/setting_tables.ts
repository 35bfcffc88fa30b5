/**
 * Writes the tables of keys into the pages that have some: `deno task docs`. What stands between
 * `<!-- keys of agents -->` and `<!-- end of keys -->` is replaced, the rest is written by hand;
 * `keys within channels.slack` are written without the way to their section.
 * @module
 */

import { sectionTexts } from "../../actors/config/descriptions/channels.ts";
import { channelManifests } from "../../channels/registry.ts";
import { loadSettingTexts } from "../../channels/setting_texts.ts";
import { type SettingRow, settingRows } from "./setting_rows.ts";

const TABLE = /<!-- keys (of|within) ((?:[\w.]|<name>|, )+) -->[^]*?<!-- end of keys -->/g;

/** The pages with tables, from the root. */
export const TABLE_PAGES: readonly string[] = [
  "docs/configuration.md",
  ...channelManifests.map(({ name }) => `docs/channels/${name}.md`),
];

/** The page with tables that are true. */
export async function withTables(page: string): Promise<string> {
  const rows = settingRows(await loadSettingTexts());
  return page.replaceAll(TABLE, (_, how: string, sections: string) => {
    const found = rowsOf(sections.split(", "), rows);
    const within = `${sections}.`;
    const shown = how === "of"
      ? found
      : found.map((row) => ({ ...row, key: row.key.slice(within.length) }));
    return `<!-- keys ${how} ${sections} -->\n\n${tableOf(shown)}\n\n<!-- end of keys -->`;
  });
}

/** The sections that the page has tables of. */
export function sectionsOf(page: string): readonly string[] {
  return [...page.matchAll(TABLE)].flatMap(([, , sections = ""]) => sections.split(", "));
}

/** Where a key belongs: the channel, or what its way begins with. */
export function sectionOf(key: string): string {
  return /^(channels\.[^.]+)\./.exec(key)?.[1] ?? key.split(/[.[]/)[0] ?? key;
}

function rowsOf(sections: readonly string[], rows: readonly SettingRow[]): readonly SettingRow[] {
  if (!sections.includes("channels.<name>")) {
    return rows.filter(({ key }) => sections.includes(sectionOf(key)));
  }
  const common = rows.filter(({ key }) => /^channels\.telegram\.(enabled|allowFrom)$/.test(key));
  return common.map((row) => {
    const key = row.key.replace("telegram", "<name>");
    return { ...row, key, text: String(sectionTexts[key]) };
  });
}

function tableOf(rows: readonly SettingRow[]): string {
  const lines = rows.map(({ key, takes, usual, text }) => {
    const value = usual === undefined ? "needed" : `\`${JSON.stringify(usual)}\``;
    return `| \`${key}\` | ${takes} | ${value} | ${text} |`;
  });
  return ["| key | takes | default | meaning |", "| - | - | - | - |", ...lines].join("\n");
}

if (import.meta.main) {
  for (const page of TABLE_PAGES) {
    const file = new URL(`../../${page}`, import.meta.url);
    await Deno.writeTextFile(file, await withTables(await Deno.readTextFile(file)));
  }
}
