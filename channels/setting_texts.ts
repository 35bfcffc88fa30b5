/**
 * What is said of every key of the configuration, those of the channels included.
 * @module
 */

import { coreTexts } from "../actors/config/descriptions/core_texts.ts";
import type { SettingText, SettingTexts } from "../actors/config/descriptions/setting_text.ts";
import { channelEntries } from "./registry.ts";

/** Loads the texts by the way from the root. */
export async function loadSettingTexts(): Promise<SettingTexts> {
  const sections = await Promise.all(
    channelEntries.map(async ({ manifest: { name, displayName }, loadTexts }) => {
      const below = Object.entries(await loadTexts())
        .map(([key, text]): [string, SettingText] => [`channels.${name}.${key}`, text]);
      const whole: [string, SettingText] = [
        `channels.${name}`,
        `The ${displayName} channel ([its page](channels/${name}.md)).`,
      ];
      return [whole, ...below];
    }),
  );
  return { ...coreTexts, ...Object.fromEntries(sections.flat()) };
}
