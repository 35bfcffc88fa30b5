/**
 * What a button carries to Telegram and back: what its press says.
 * @module
 */

import type { Choice } from "../channel.ts";

/** Marks it as ours. */
const PREFIX = "say:";
/** Documented for `callback_data` (https://core.telegram.org/bots/api#inlinekeyboardbutton). */
const DATA_BYTES_MAX = 64;

/** The buttons for answers, or none when one of them cannot be had as a button. */
export function buttonsOf(
  choices: readonly Choice[],
): readonly { readonly text: string; readonly callback_data: string }[] {
  const buttons = choices.map(({ label, says }) => ({
    text: label,
    callback_data: `${PREFIX}${says}`,
  }));
  const encoder = new TextEncoder();
  const doFit = buttons.every(({ callback_data: data }) =>
    encoder.encode(data).length <= DATA_BYTES_MAX
  );
  return doFit ? buttons : [];
}

/** What a press says; null for a button that is not ours. */
export function saidBy(data: string): string | null {
  const says = data.startsWith(PREFIX) ? data.slice(PREFIX.length) : "";
  return says === "" ? null : says;
}
