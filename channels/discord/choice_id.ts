/**
 * What a button carries to Discord and back: what its press says.
 * @module
 */

import type { JsonObject } from "../../actors/kernel/json.ts";
import type { Choice } from "../channel.ts";

/** Marks it as ours. */
const PREFIX = "say:";
/** Documented for `custom_id` (https://discord.com/developers/docs/components/reference). */
const ID_CHARS_MAX = 100;
/** Buttons in one row. */
const ROW_MAX = 5;
const ROW_TYPE = 1;
const BUTTON_TYPE = 2;
const PRIMARY = 1;
const SECONDARY = 2;

/** The row of buttons for answers; none when one of them cannot be had as a button. */
export function buttonRows(choices: readonly Choice[]): JsonObject[] {
  const buttons = choices.map(({ label, says }, index) => ({
    type: BUTTON_TYPE,
    style: index === 0 ? PRIMARY : SECONDARY,
    label,
    custom_id: `${PREFIX}${says}`,
  }));
  const doFit = buttons.length > 0 && buttons.length <= ROW_MAX &&
    buttons.every(({ custom_id: id }) => id.length <= ID_CHARS_MAX);
  return doFit ? [{ type: ROW_TYPE, components: buttons }] : [];
}

/** What a press says; null for a button that is not ours. */
export function saidBy(customId: string): string | null {
  const says = customId.startsWith(PREFIX) ? customId.slice(PREFIX.length) : "";
  return says === "" ? null : says;
}
