/**
 * What the model may see and change of the session it talks in: an allow-list, and notes of its
 * own. Nothing else of the program can be reached by it; all of it ends when the session sleeps.
 * @module
 */

import { isSecretName } from "../config/secrets.ts";
import { sumUsage } from "../journal/usage.ts";
import { isTooDeep, type JsonObject, type JsonValue } from "../kernel/json.ts";
import { type OwnState, ToolError } from "../tools/tool.ts";
import type { SessionServices, SessionSettings } from "./ports.ts";
import type { SessionLog } from "./session_log.ts";
import { withModel } from "./session_model.ts";
import type { SubagentDesk } from "./subagents/subagent_desk.ts";

const NOTES_MAX = 64;
/** Of all notes together, as JSON. */
const NOTES_CHARS_MAX = 50_000;
const NOTE_DEPTH_MAX = 10;

/** Numbers that may be set, and between what. */
const RANGES = {
  max_iterations: [1, 1_000],
  context_window_tokens: [4_096, 1_000_000],
} as const;

/** Seen, and never set. */
const READ_ONLY: ReadonlySet<string> = new Set([
  "workspace",
  "timezone",
  "max_tokens",
  "max_tool_result_chars",
  "provider_retry_mode",
  "web_config",
  "exec_config",
  "current_iteration",
  "subagents",
  "last_usage",
  "scratchpad",
]);

/** What a session's model changed, as long as the session is awake. */
export class OwnSettings {
  #changes: Partial<Pick<SessionSettings, "toolIterationsMax" | "contextWindowTokens">> = {};
  #notes: JsonObject = {};

  /** Its notes. */
  get notes(): JsonObject {
    return this.#notes;
  }

  /** The services in which its settings hold; a copy keeps those of its moment. */
  in(services: SessionServices): SessionServices {
    const settings = () => ({ ...services.settings, ...this.#changes });
    return {
      ...services,
      get settings() {
        return settings();
      },
      get provider() {
        return services.provider;
      },
    };
  }

  setNumber(key: keyof typeof RANGES, value: number): void {
    this.#changes = key === "max_iterations"
      ? { ...this.#changes, toolIterationsMax: value }
      : { ...this.#changes, contextWindowTokens: value };
  }

  /** @throws {ToolError} */
  note(key: string, value: JsonValue): void {
    const { [key]: _before, ...others } = this.#notes;
    const notes = value === null ? others : { ...others, [key]: value };
    const count = Object.keys(notes).length;
    if (count > NOTES_MAX) throw refused(key, `there are ${NOTES_MAX} notes; remove some (null)`);
    if (isTooDeep(value, NOTE_DEPTH_MAX)) throw refused(key, "it is nested too deeply");
    if (JSON.stringify(notes).length > NOTES_CHARS_MAX) throw refused(key, "it is too long");
    this.#notes = notes;
  }
}

/** What the state is made of. */
export interface OwnStateOptions {
  /** Of the session, its own settings applied. */
  readonly services: SessionServices;
  readonly own: OwnSettings;
  readonly log: SessionLog;
  readonly subagents: SubagentDesk;
  /** Rounds of tools that the turn has had. */
  readonly rounds: () => number;
}

/** The state of one session. */
export function ownState(options: OwnStateOptions): OwnState {
  return {
    look: () => look(options),
    set: (key, value) => set(options, key.replace(/^scratchpad\./, ""), value),
  };
}

async function look(
  { services, own, log, subagents, rounds }: OwnStateOptions,
): Promise<JsonObject> {
  const { settings, clock, usage, ownFacts = {} } = services;
  const last = sumUsage(await usage.turn(log.sessionKey));
  return {
    model: settings.model,
    max_iterations: settings.toolIterationsMax,
    current_iteration: rounds(),
    context_window_tokens: settings.contextWindowTokens,
    max_tokens: settings.tokensMax,
    max_tool_result_chars: settings.toolResultCharsMax,
    workspace: settings.workspace,
    timezone: settings.timezone,
    ...ownFacts,
    subagents: subagents.statuses.map((status) => status.describe(clock.now())),
    ...(last.calls > 0 && {
      last_usage: { input_tokens: last.inputTokens, output_tokens: last.outputTokens },
    }),
    ...(Object.keys(own.notes).length > 0 && { scratchpad: own.notes }),
  };
}

async function set(options: OwnStateOptions, key: string, value: JsonValue): Promise<string> {
  if (key === "model") return await setModel(options, value);
  if (key === "max_iterations" || key === "context_window_tokens") {
    options.own.setNumber(key, numberIn(key, value));
    return `${key} is ${numberIn(key, value)}, from the next message on`;
  }
  if (READ_ONLY.has(key.split(".", 1)[0] ?? "")) throw refused(key, "it can only be looked at");
  if (!/^[A-Za-z][\w-]{0,99}$/.test(key)) {
    throw refused(key, "a note's name is one word of letters, digits, - and _");
  }
  if (isSecretName(key) || holdsSecret(value)) throw refused(key, "secrets are not kept in notes");
  options.own.note(key, value);
  return value === null ? `The note ${key} is gone` : `Noted ${key} in the scratchpad`;
}

/** As `/model` does it, so that people see it there and can take it back. */
async function setModel({ services, log }: OwnStateOptions, value: JsonValue): Promise<string> {
  if (typeof value !== "string" || value.trim() === "") throw refused("model", "it is a name");
  const name = value.trim();
  const { models } = services;
  if (models === undefined) throw refused("model", "it cannot be changed here");
  const found = models.find(name);
  if (found.state === "refused") throw refused("model", found.reason);
  await log.changeMetadata((metadata) => withModel(metadata, name));
  return `model is ${found.model.settings.model}, from the next message on; /model default goes back`;
}

function numberIn(key: keyof typeof RANGES, value: JsonValue): number {
  const [min, max] = RANGES[key];
  const number = typeof value === "string" && /^\d{1,9}$/.test(value) ? Number(value) : value;
  if (typeof number === "number" && Number.isInteger(number) && number >= min && number <= max) {
    return number;
  }
  throw refused(key, `it is a whole number from ${min} to ${max}`);
}

function holdsSecret(value: JsonValue): boolean {
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some(([key, inner]) => isSecretName(key) || holdsSecret(inner));
}

function refused(key: string, reason: string): ToolError {
  return new ToolError("arguments_invalid", `Cannot set "${key}": ${reason}`);
}
