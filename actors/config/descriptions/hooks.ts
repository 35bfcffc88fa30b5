/**
 * What the keys of section `hooks` are for.
 * @module
 */

import type { SettingTexts } from "./setting_text.ts";

/** By the way from the root. */
export const hooksTexts: SettingTexts = {
  "hooks": {
    takes: "list of objects",
    text:
      'Code of your own that hears of events and may refuse tools, told in this order ([hooks](hooks.md)): `{"name": "guard", "on": ["tool_before"], "command": ["/srv/guard.sh"]}`.',
  },
  "hooks[]": "One hook: a `command`, or a `module`.",
  "hooks[].name": "Its name, for people; no two hooks have the same.",
  "hooks[].on": {
    takes: "list of events",
    text:
      "What it hears of: `turn_start`, `turn_end`, `tool_before`, `tool_after`, `message_in`, `message_out`, `channel_state`.",
  },
  "hooks[].tools":
    "Names of the tools that it hears of in `tool_before` and `tool_after`; `*` stands for any letters.",
  "hooks[].command": {
    takes: "list of text, or null",
    text: "A program and its arguments, run for each event. Needed where there is no `module`.",
  },
  "hooks[].module":
    "A whole path, `npm:` specifier with an exact version, or URL that is cached. Needed where there is no `command`.",
  "hooks[].rights": "Exactly what the module may do.",
  "hooks[].rights.read": "What it may read: `workspace`, or whole paths.",
  "hooks[].rights.write": "What it may write: `workspace`, or whole paths.",
  "hooks[].rights.net": "What it reaches, as `host` or `host:port`.",
  "hooks[].timeout": "Seconds that one event may take.",
  "hooks[].onFailure": "What becomes of a call that the hook gave no proper answer about.",
};
