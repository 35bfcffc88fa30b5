/**
 * Our settings in nanobot's words. What nanobot does not know it ignores at best: at the root it
 * refuses the whole file, and so it does for a wrong type.
 * @module
 */

import { canonicalSettings } from "../../../actors/config/canonical.ts";
import { configShape } from "../../../actors/config/config_shape.ts";
import { showPath } from "../../../actors/config/key_path.ts";
import { migrate } from "../../../actors/config/migrations.ts";
import { Report } from "../../../actors/config/report.ts";
import type { Shape } from "../../../actors/config/shape.ts";
import { foldName } from "../../../actors/config/spelling.ts";
import { mergeObjects, own, withKey, withoutKey } from "../../../actors/config/tree.ts";
import { isList, isObject, type JsonObject, type JsonValue } from "../../../actors/kernel/json.ts";
import { channelManifests } from "../../registry.ts";
import type { PlanDraft } from "./plan.ts";
import { valueAt } from "./settings.ts";

/** Keys that are understood: all below a key, or those named; `*` stands for any name. */
type Known = true | { readonly [key: string]: Known };

function keys(words: string): Readonly<Record<string, Known>> {
  return Object.fromEntries(words.split(" ").map((word) => [word, true]));
}

const PROVIDER = keys("apiKey apiBase extraHeaders");

/** Vendors of nanobot 0.1.5; it knows none by any other name. */
const VENDORS =
  "custom azureOpenai anthropic openai openrouter deepseek groq zhipu dashscope vllm " +
  "ollama lmStudio ovms gemini moonshot minimax minimaxAnthropic mistral stepfun xiaomiMimo " +
  "aihubmix siliconflow volcengine volcengineCodingPlan byteplus byteplusCodingPlan qianfan " +
  "openaiCodex githubCopilot";

const NANOBOT: Known = {
  agents: {
    defaults: keys(
      "workspace model provider maxTokens contextWindowTokens contextBlockLimit temperature " +
        "maxToolIterations maxToolResultChars providerRetryMode reasoningEffort timezone " +
        "unifiedSession disabledSkills idleCompactAfterMinutes dream",
    ),
  },
  channels: {
    ...keys("sendProgress sendToolHints sendMaxRetries transcriptionProvider"),
    ...keys("telegram discord slack whatsapp feishu dingtalk qq email websocket"),
  },
  providers: Object.fromEntries(VENDORS.split(" ").map((name) => [name, PROVIDER])),
  api: keys("host port timeout"),
  gateway: { ...keys("host port"), heartbeat: keys("enabled intervalS keepRecentMessages") },
  tools: {
    ...keys("restrictToWorkspace ssrfWhitelist my"),
    mcpServers: { "*": keys("type command args env url headers toolTimeout enabledTools") },
    web: {
      ...keys("enable proxy"),
      search: keys("provider apiKey baseUrl maxResults timeout"),
    },
    exec: keys("enable timeout pathAppend sandbox allowedEnvKeys"),
  },
};

/** The settings for nanobot, with its workspace in them. */
export function nanobotSettings(
  written: JsonObject,
  workspace: string,
  draft: PlanDraft,
): JsonObject {
  const shape = configShape(channelManifests);
  const ours = canonicalSettings(migrate(written, new Report("config.json")), shape, () => {});
  const plain = withoutVariables(withCustom(ours), shape, [], draft);
  const settings = knownIn(isObject(plain) ? plain : {}, NANOBOT, [], draft);
  const sandbox = valueAt(settings, ["tools", "exec", "sandbox"]);
  if (typeof sandbox === "string" && !["", "bwrap"].includes(sandbox)) {
    leave(draft, ["tools", "exec", "sandbox"], "nanobot has bwrap or none");
  }
  return mergeObjects(withChannelTexts(withoutSandbox(settings, sandbox), draft), {
    agents: { defaults: { workspace } },
    // The default here, and not there.
    tools: { restrictToWorkspace: valueAt(settings, ["tools", "restrictToWorkspace"]) ?? true },
  });
}

function leave(draft: PlanDraft, path: readonly (string | number)[], why: string): void {
  draft.leave("config", showPath(path), ["foreign", why]);
}

/** A server of one's own goes by the one name that nanobot has for such. */
function withCustom(settings: JsonObject): JsonObject {
  const providers = own(settings, "providers");
  const chosen = valueAt(settings, ["agents", "defaults", "provider"]);
  if (!isObject(providers) || typeof chosen !== "string") return settings;
  const name = Object.keys(providers).find((key) => foldName(key) === foldName(chosen));
  const provider = name === undefined ? undefined : providers[name];
  if (name === undefined || provider === undefined || "custom" in providers) return settings;
  if (VENDORS.split(" ").includes(name)) return settings;
  const renamed = withKey(withoutKey(providers, name), "custom", provider);
  const chosenNow = { agents: { defaults: { provider: "custom" } } };
  return mergeObjects(withKey(settings, "providers", renamed), chosenNow);
}

/** Variables stand in texts only there, and have no escape. */
function withoutVariables(
  value: JsonValue,
  shape: Shape,
  path: readonly (string | number)[],
  draft: PlanDraft,
): JsonValue | undefined {
  if (isObject(value)) {
    const kept = Object.entries(value).flatMap(([key, item]) => {
      const inner = shape.kind === "object" ? shape.fields.get(key) ?? shape.rest : null;
      const plain = withoutVariables(item, inner ?? { kind: "any" }, [...path, key], draft);
      return plain === undefined ? [] : [[key, plain] as const];
    });
    return Object.fromEntries(kept);
  }
  if (isList(value)) {
    const inner: Shape = shape.kind === "list" ? shape.item : { kind: "any" };
    return value.flatMap((item, index) =>
      withoutVariables(item, inner, [...path, index], draft) ?? []
    );
  }
  if (typeof value !== "string" || !value.includes("${")) return value;
  const isText = shape.kind === "text" || shape.kind === "any";
  if (isText && !value.includes("$${")) return value;
  leave(draft, path, "nanobot takes no variable there; write the value itself");
  return undefined;
}

function knownIn(
  settings: JsonObject,
  known: Known,
  path: readonly string[],
  draft: PlanDraft,
): JsonObject {
  if (known === true) return settings;
  const kept = Object.entries(settings).flatMap(([key, value]) => {
    const inner = Object.hasOwn(known, key) ? known[key] : known["*"];
    const own = [...path, key];
    if (inner === undefined) {
      leave(draft, own, "nanobot has no such setting");
      return [];
    }
    return [[key, isObject(value) ? knownIn(value, inner, own, draft) : value] as const];
  });
  return Object.fromEntries(kept);
}

function withoutSandbox(settings: JsonObject, sandbox: JsonValue | undefined): JsonObject {
  const tools = own(settings, "tools");
  const exec = own(tools, "exec");
  if (sandbox === "bwrap" || !isObject(tools) || !isObject(exec)) return settings;
  return withKey(settings, "tools", withKey(tools, "exec", withoutKey(exec, "sandbox")));
}

/** Sections of channels: no reaction is "" there, and one bot a channel. */
function withChannelTexts(settings: JsonObject, draft: PlanDraft): JsonObject {
  const channels = own(settings, "channels");
  if (!isObject(channels)) return settings;
  const sections = Object.entries(channels).map(([name, section]) => {
    if (!isObject(section)) return [name, section] as const;
    const kept = Object.entries(section).flatMap(([key, value]) => {
      if (key !== "instances") {
        return [[key, value === null && key.endsWith("Emoji") ? "" : value] as const];
      }
      leave(draft, ["channels", name, key], "nanobot has one bot for each channel");
      return [];
    });
    return [name, Object.fromEntries(kept)] as const;
  });
  return withKey(settings, "channels", Object.fromEntries(sections));
}
