/**
 * OpenClaw's settings in our words.
 * @module
 */

import { PROVIDER_KEYS } from "../../../actors/config/schema/providers.ts";
import { foldName } from "../../../actors/config/spelling.ts";
import { mergeObjects, own } from "../../../actors/config/tree.ts";
import { isList, isObject, type JsonObject, type JsonValue } from "../../../actors/kernel/json.ts";
import { keysInEnvironment } from "../../../providers/key_variables.ts";
import { channelSettings } from "./openclaw_channels.ts";
import type { PlanDraft } from "./plan.ts";
import { secretOf, Takings } from "./takings.ts";

/** What stands beside the configuration. */
export interface OpenClawSecrets {
  /** Variables of `.env`. */
  readonly env: Readonly<Record<string, string>>;
  /** `auth-profiles.json` of the agent. */
  readonly profiles: JsonObject;
  /** Who was let in by pairing, by channel. */
  readonly paired: Readonly<Record<string, readonly string[]>>;
}

/** What we know of it, and which agent it is. */
export interface OpenClawSettings {
  readonly settings: JsonObject;
  readonly agentId: string;
  /** As it is written; undefined for the usual one. */
  readonly workspace: string | undefined;
  /** Of the file of jobs; undefined for the usual one. */
  readonly jobsFile: string | undefined;
}

/** Vendors under another name there. */
const VENDORS: Readonly<Record<string, string>> = {
  google: "gemini",
  zai: "zhipu",
  qwen: "dashscope",
  bytedance: "volcengine",
  kimicode: "kimiCoding",
};
const EFFORTS = ["minimal", "low", "medium", "high"];
/** Says nothing that would be missed. */
const UNTOLD = new Set(["meta", "wizard", "$schema", "env"]);

/** Reads the settings; what has no place here is noted. */
export function openClawSettings(
  written: JsonObject,
  secrets: OpenClawSecrets,
  draft: PlanDraft,
): OpenClawSettings {
  const env = { ...secrets.env, ...variablesIn(own(written, "env")) };
  const takings = new Takings(withVariables(written, env));
  const agent = agentIn(takings);
  const settings = [
    agentSettings(agent),
    providerSettings(takings, draft),
    keySettings(env, secrets.profiles, draft),
    toolSettings(takings),
    channelSettings(takings, { env, paired: secrets.paired, draft }),
  ].reduceRight((lower, upper) => mergeObjects(lower, upper), {});
  const workspace = agent.text("workspace");
  const jobsFile = takings.text("cron", "store");
  for (const key of [...takings.rest(), ...agent.rest()]) {
    if (UNTOLD.has(key.split(".")[0] ?? "") || key.startsWith("agents.list")) continue;
    draft.leave("config", key, ["foreign", "there is no such setting here"]);
  }
  return { settings, agentId: agent.id, workspace, jobsFile };
}

function variablesIn(env: JsonValue | undefined): Record<string, string> {
  const all = { ...isObject(env) ? env : {}, ...textsOf(own(env, "vars")) };
  return textsOf(all);
}

function textsOf(value: JsonValue | undefined): Record<string, string> {
  const entries = isObject(value) ? Object.entries(value) : [];
  return Object.fromEntries(
    entries.flatMap(([key, item]) => typeof item === "string" ? [[key, item] as const] : []),
  );
}

/** Variables that stand in OpenClaw's own files become their values: ours does not read those. */
function withVariables(value: JsonObject, env: Readonly<Record<string, string>>): JsonObject {
  const fill = (item: JsonValue): JsonValue => {
    if (isList(item)) return item.map(fill);
    if (isObject(item)) return withVariables(item, env);
    if (typeof item !== "string") return item;
    return item.replaceAll(
      /\$\{([A-Z_][A-Z0-9_]*)\}/g,
      (whole, name: string) => Object.hasOwn(env, name) ? env[name] ?? whole : whole,
    );
  };
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fill(item)]));
}

/** The agent that answers: its own settings come before those of all. */
interface Agent {
  readonly id: string;
  readonly take: (key: string) => JsonValue | undefined;
  readonly text: (key: string) => string | undefined;
  readonly rest: () => readonly string[];
}

function agentIn(takings: Takings): Agent {
  const list = takings.take("agents", "list");
  const agents = isList(list) ? list.filter(isObject) : [];
  const chosen = agents.find(({ default: isDefault }) => isDefault === true) ?? agents[0] ?? {};
  const id = own(chosen, "id");
  const take = (key: string) => {
    const common = takings.take("agents", "defaults", key);
    const legacy = takings.take("agent", key); // as it was written first
    return own(chosen, key) ?? common ?? legacy;
  };
  const others = agents.filter((agent) => agent !== chosen).map((agent) => own(agent, "id"));
  return {
    id: typeof id === "string" ? id : "main",
    take,
    text: (key) => {
      const value = take(key);
      return typeof value === "string" && value.trim() !== "" ? value : undefined;
    },
    rest: () => others.map((other) => `agent ${typeof other === "string" ? other : "without id"}`),
  };
}

function agentSettings(agent: Agent): JsonObject {
  const model = agent.take("model");
  const primary = typeof model === "string" ? model : own(model, "primary");
  const fallbacks = own(model, "fallbacks");
  const names = isList(fallbacks) ? fallbacks.filter((name) => typeof name === "string") : [];
  const effort = agent.text("thinkingDefault");
  const zone = agent.text("userTimezone");
  const most = agent.take("maxConcurrent");
  const tokens = agent.take("contextTokens");
  return {
    agents: {
      defaults: {
        ...(typeof primary === "string" && { model: modelOf(primary) }),
        ...(names.length > 0 && { fallbackModels: names.map(modelOf) }),
        ...(effort !== undefined && EFFORTS.includes(effort) && { reasoningEffort: effort }),
        ...(zone !== undefined && { timezone: zone }),
        ...(typeof most === "number" && { maxConcurrentRequests: most }),
        ...(typeof tokens === "number" && { contextWindowTokens: tokens }),
      },
    },
    ...heartbeatOf(agent.take("heartbeat")),
  };
}

/** `30m`, `1h`; 0 switches it off. */
function heartbeatOf(heartbeat: JsonValue | undefined): JsonObject {
  const every = own(heartbeat, "every");
  const [, count = "", unit = "m"] = typeof every === "string"
    ? /^\s*(\d+)\s*([smhd]?)/.exec(every) ?? []
    : [];
  if (count === "") return {};
  const seconds = Number(count) * ({ s: 1, m: 60, h: 3_600, d: 86_400 }[unit] ?? 60);
  const setting = seconds === 0 ? { enabled: false } : { intervalS: seconds };
  return { gateway: { heartbeat: setting } };
}

/** A model with its vendor's name as it is here. */
function modelOf(model: string): string {
  const [vendor = "", ...rest] = model.trim().split("/");
  const ours = VENDORS[foldName(vendor)];
  return rest.length === 0 || ours === undefined ? model.trim() : [ours, ...rest].join("/");
}

/** Our key of a vendor; null for one that we do not know. */
function providerKey(name: string): string | null {
  const folded = foldName(name);
  return VENDORS[folded] ?? PROVIDER_KEYS.find((key) => foldName(key) === folded) ?? null;
}

function providerSettings(takings: Takings, draft: PlanDraft): JsonObject {
  const providers = takings.keys("models", "providers").flatMap((name) => {
    const at = ["models", "providers", name];
    const key = providerKey(name);
    const api = takings.text(...at, "api");
    const isOpen = api === undefined || /^openai-(?:completions|responses)$/.test(api);
    if (key === null && !isOpen) {
      draft.leave("config", at.join("."), [
        "foreign",
        `a vendor that speaks ${api} is not known here`,
      ]);
      return [];
    }
    const apiBase = takings.text(...at, "baseUrl");
    const apiKey = secretOf(takings.take(...at, "apiKey"));
    const headers = takings.take(...at, "headers");
    const provider = {
      ...(apiBase !== undefined && { apiBase }),
      ...(apiKey !== undefined && { apiKey }),
      ...(isObject(headers) && { extraHeaders: headers }),
    };
    return Object.keys(provider).length === 0 ? [] : [[key ?? name, provider] as const];
  });
  return providers.length === 0 ? {} : { providers: Object.fromEntries(providers) };
}

/** Keys of vendors that stand in variables and in the agent's own file. */
function keySettings(
  env: Readonly<Record<string, string>>,
  profiles: JsonObject,
  draft: PlanDraft,
): JsonObject {
  const keys = new Map<string, string>();
  for (const { vendor, variable } of keysInEnvironment(env)) {
    const name = providerKey(vendor.name);
    const value = env[variable];
    if (name !== null && value !== undefined) keys.set(name, value);
  }
  const all = own(profiles, "profiles");
  for (const [id, profile] of Object.entries(isObject(all) ? all : {})) {
    const vendor = own(profile, "provider");
    const name = typeof vendor === "string" ? providerKey(vendor) : null;
    const key = secretOf(own(profile, "key")) ?? secretOf(own(profile, "keyRef"));
    if (name !== null && key !== undefined) keys.set(name, key);
    else {
      const why = "a sign-in, or a vendor that is not known here: see provider login";
      draft.leave("config", `auth profile ${id}`, ["foreign", why]);
    }
  }
  if (keys.size === 0) return {};
  return { providers: Object.fromEntries([...keys].map(([name, apiKey]) => [name, { apiKey }])) };
}

function toolSettings(takings: Takings): JsonObject {
  const timeout = takings.take("tools", "exec", "timeoutSec");
  const servers = takings.keys("mcp", "servers").map((name) => {
    const server = ["command", "args", "env", "url", "headers"].flatMap((key) => {
      const value = takings.take("mcp", "servers", name, key);
      return value === undefined ? [] : [[key, value] as const];
    });
    return [name, Object.fromEntries(server)] as const;
  });
  return {
    tools: {
      ...(typeof timeout === "number" && { exec: { timeout } }),
      ...(servers.length > 0 && { mcpServers: Object.fromEntries(servers) }),
    },
  };
}
