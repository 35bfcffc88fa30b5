/**
 * Section `hooks`: scripts and modules of the owner that hear of what happens, and may refuse calls
 * of tools.
 * @module
 */

import { z } from "zod";
import { moduleSpecifier, type PluginRights, rightsSchema } from "./tool_rules.ts";
import { wholeNumber } from "./values.ts";

/** What hooks can hear of. `tool_before` alone takes an answer. */
export const HOOK_EVENTS = [
  "turn_start",
  "turn_end",
  "tool_before",
  "tool_after",
  "message_in",
  "message_out",
  "channel_state",
] as const;

/** One of {@link HOOK_EVENTS}. */
export type HookEventName = typeof HOOK_EVENTS[number];

/** One hook. */
export interface HookConfig {
  /** For people; no two hooks have the same. */
  readonly name: string;
  readonly on: readonly HookEventName[];
  /** Of which tools; `*` stands for any letters. */
  readonly tools: readonly string[];
  /** A program and its arguments, run for each event; null where it is a module. */
  readonly command: readonly [string, ...string[]] | null;
  /** `npm:` specifier, absolute path or URL; null where it is a command. */
  readonly module: string | null;
  /** Exactly what the module may do. */
  readonly rights: PluginRights;
  /** Seconds for one event. */
  readonly timeout: number;
  /** What becomes of a call that it gave no proper answer about. */
  readonly onFailure: "allow" | "refuse";
}

const SECONDS_PER_EVENT_MAX = 300;
const HOOKS_MAX = 32;

const word = z.string().min(1);

const NO_RIGHTS: PluginRights = { read: [], write: [], net: [] };

const hook: z.ZodType<HookConfig> = z.object({
  name: z.string().regex(/^[A-Za-z0-9][\w .-]{0,63}$/, {
    error: "is no name: up to 64 letters, digits, blanks and ._-",
  }),
  on: z.array(z.enum(HOOK_EVENTS)).min(1, { error: "names no event" }),
  tools: z.array(word).default(["*"]),
  command: z.tuple([program()], word).nullable().default(null),
  module: moduleSpecifier().nullable().default(null),
  rights: rightsSchema.default(NO_RIGHTS),
  timeout: wholeNumber(1, SECONDS_PER_EVENT_MAX).default(5),
  onFailure: z.enum(["allow", "refuse"]).default("refuse"),
}).superRefine(({ command, module, rights }, context) => {
  const refuse = (key: string, message: string) =>
    context.addIssue({ code: "custom", path: [key], message });
  if (command === null && module === null) refuse("command", 'is missing, and so is "module"');
  if (command === null) return;
  if (module !== null) refuse("module", 'is one too many beside "command"');
  if (Object.values(rights).some((given) => given.length > 0)) {
    refuse("rights", "is for modules: a command may do whatever you may");
  }
});

/** Schema of section `hooks`. */
export const hooksSchema: z.ZodType<readonly HookConfig[]> = z.array(hook).max(HOOKS_MAX)
  .superRefine((hooks, context) => {
    const names = hooks.map(({ name }) => name);
    const index = names.findIndex((name, at) => names.indexOf(name) !== at);
    if (index === -1) return;
    context.addIssue({
      code: "custom",
      path: [index, "name"],
      message: "is the name of another hook",
    });
  });

/** A path that depends on where the program was started would be another one tomorrow. */
function program(): z.ZodType<string> {
  return z.string().regex(/^([/~]|[A-Za-z]:[/\\]|[\w.-]+$)/, {
    error: "is neither the name of a program nor a whole path",
  });
}
