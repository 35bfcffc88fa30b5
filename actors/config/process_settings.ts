/**
 * Settings that stand in the environment of the process only.
 * @module
 */

import type { Report } from "./report.ts";

const STREAM_IDLE_TIMEOUT_S = 90;
const STREAM_IDLE_TIMEOUT_S_MAX = 3_600;

/** A process that was restarted from a chat says so there. */
export interface RestartNotice {
  readonly channel: string;
  readonly chatId: string;
  /** When the restart began, epoch milliseconds; null when it was not told. */
  readonly startedAtMs: number | null;
}

/** Used where `tools.web.search` has no key or address. */
export interface WebSearchFallbacks {
  readonly braveApiKey: string | null;
  readonly tavilyApiKey: string | null;
  readonly jinaApiKey: string | null;
  readonly kagiApiKey: string | null;
  readonly searxngBaseUrl: string | null;
}

/** Used where the transcription provider has no key or address. */
export interface TranscriptionFallbacks {
  readonly openaiApiKey: string | null;
  readonly openaiBaseUrl: string | null;
  readonly groqApiKey: string | null;
  readonly groqBaseUrl: string | null;
}

/** What the environment says beside the configuration. */
export interface ProcessSettings {
  /** Longest silence of a model's stream. */
  readonly streamIdleTimeoutMs: number;
  readonly restartNotice: RestartNotice | null;
  readonly webSearch: WebSearchFallbacks;
  readonly transcription: TranscriptionFallbacks;
  /** Set: calls of models are traced. */
  readonly langfuseSecretKey: string | null;
}

/** Variables of {@link ProcessSettings} that hold secrets, without prefix. */
export const SECRET_PROCESS_VARIABLES: readonly string[] = [
  "BRAVE_API_KEY",
  "TAVILY_API_KEY",
  "JINA_API_KEY",
  "KAGI_API_KEY",
  "OPENAI_API_KEY",
  "GROQ_API_KEY",
  "LANGFUSE_SECRET_KEY",
];

type Env = Readonly<Record<string, string>>;

/** Reads the process's settings. Each variable has a twin under `TROUPE_`, which wins. */
export function readProcessSettings(env: Env, report: Report): ProcessSettings {
  const value = (name: string) => lookUp(env, ["TROUPE_", ""], name)?.value ?? null;
  return {
    streamIdleTimeoutMs: readStreamIdleTimeoutMs(env, report),
    restartNotice: readRestartNotice(env),
    webSearch: {
      braveApiKey: value("BRAVE_API_KEY"),
      tavilyApiKey: value("TAVILY_API_KEY"),
      jinaApiKey: value("JINA_API_KEY"),
      kagiApiKey: value("KAGI_API_KEY"),
      searxngBaseUrl: value("SEARXNG_BASE_URL"),
    },
    transcription: {
      openaiApiKey: value("OPENAI_API_KEY"),
      openaiBaseUrl: value("OPENAI_TRANSCRIPTION_BASE_URL"),
      groqApiKey: value("GROQ_API_KEY"),
      groqBaseUrl: value("GROQ_BASE_URL"),
    },
    langfuseSecretKey: value("LANGFUSE_SECRET_KEY"),
  };
}

/**
 * The limit of turns at once that `MAX_CONCURRENT_REQUESTS` sets, which wins over the
 * configuration; null when it sets none. Anything but a whole number is refused.
 */
export function readConcurrencyLimit(env: Env, report: Report): number | null {
  const found = lookUp(env, ["TROUPE_", "NANOBOT_"], "MAX_CONCURRENT_REQUESTS");
  if (found === null) return null;
  const limit = Number(found.value);
  if (/^[+-]?\d+$/.test(found.value) && Number.isSafeInteger(limit)) return limit;
  report.refuseVariable(
    found.name,
    "is not a whole number",
    "write how many turns may run at once (0: no limit), or unset it",
  );
  return null;
}

function readStreamIdleTimeoutMs(env: Env, report: Report): number {
  const found = lookUp(env, ["TROUPE_", "NANOBOT_"], "STREAM_IDLE_TIMEOUT_S");
  if (found === null) return STREAM_IDLE_TIMEOUT_S * 1_000;
  const seconds = Number(found.value);
  if (!(seconds > 0)) {
    report.warn(
      [],
      `${found.name} is not a number above 0: ${STREAM_IDLE_TIMEOUT_S} seconds count instead`,
    );
    return STREAM_IDLE_TIMEOUT_S * 1_000;
  }
  if (seconds > STREAM_IDLE_TIMEOUT_S_MAX) {
    report.warn([], `${found.name} is above its limit: ${STREAM_IDLE_TIMEOUT_S_MAX} seconds count`);
  }
  return Math.min(seconds, STREAM_IDLE_TIMEOUT_S_MAX) * 1_000;
}

function readRestartNotice(env: Env): RestartNotice | null {
  const value = (name: string) => lookUp(env, ["TROUPE_", "NANOBOT_"], name)?.value ?? null;
  const channel = value("RESTART_NOTIFY_CHANNEL");
  const chatId = value("RESTART_NOTIFY_CHAT_ID");
  if (channel === null || chatId === null) return null;
  const startedAtS = Number(value("RESTART_STARTED_AT") ?? NaN);
  const startedAtMs = Number.isFinite(startedAtS) ? Math.round(startedAtS * 1_000) : null;
  return { channel, chatId, startedAtMs };
}

/** The first variable that is set, trimmed; a blank one counts as not set. */
function lookUp(
  env: Env,
  prefixes: readonly string[],
  name: string,
): { readonly name: string; readonly value: string } | null {
  for (const prefix of prefixes) {
    const full = `${prefix}${name}`;
    const value = Object.hasOwn(env, full) ? (env[full] ?? "").trim() : "";
    if (value !== "") return { name: full, value };
  }
  return null;
}
