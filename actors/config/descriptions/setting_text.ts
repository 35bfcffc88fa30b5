/**
 * What is said of a setting to people, in editors and in the handbook. Nothing at run time needs
 * it, so the tables stand beside the schemas and are loaded only where somebody asks.
 * @module
 */

/**
 * What a key is for, as sentences in Markdown with links as from `docs/`: units, and what special
 * values mean. `takes` says what it takes where its schema does not tell (`"a port"`, but a text
 * that is an address).
 */
export type SettingText = string | { readonly takes: string; readonly text: string };

/** Texts by the way to the key in camelCase; free keys are `<name>`, items of a list `[]`. */
export type SettingTexts = Readonly<Record<string, SettingText>>;

/** The sentences of a text, for those who read no Markdown: links become their words. */
export function plainText(text: SettingText): string {
  const { text: sentences } = typeof text === "string" ? { text } : text;
  return sentences.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1");
}
