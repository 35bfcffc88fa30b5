import assert from "node:assert/strict";
import type { JsonObject, JsonValue } from "../../../actors/kernel/json.ts";
import { myTool } from "../../../actors/tools/my.ts";
import type { ToolContext } from "../../../actors/tools/tool.ts";
import type { ModelsPort, SessionModel } from "../../../actors/session/ports.ts";
import { ToolRegistry } from "../../../actors/tools/registry.ts";
import { ManualClock } from "../../support/manual_clock.ts";
import { ScriptedProvider } from "../../support/scripted_provider.ts";
import { SessionBench } from "../../support/session_bench.ts";
import { helperRules, isHelper, openPlaces, spawning } from "../../support/subagents.ts";
import { spawnTool } from "../../../actors/tools/spawn.ts";
import { until } from "../../support/until.ts";

/** A session whose model uses `my` as the test says, one call a message. */
class Own implements AsyncDisposable {
  readonly bench: SessionBench;
  readonly contexts: ToolContext[] = [];

  constructor(maySet: boolean = true) {
    const tool = myTool(maySet);
    const watched = {
      ...tool,
      call: (args: JsonObject, context: ToolContext) => {
        this.contexts.push(context);
        return tool.call(args, context);
      },
    };
    this.bench = new SessionBench({
      script: (request) => {
        if (isHelper(request)) return { text: "never", after: new Promise(() => {}) };
        const last = request.messages.at(-1);
        if (last?.role === "tool") return String(last.content);
        const said = String(last?.content).split("\n").at(-1) ?? "";
        return said === "spawn" ? spawning("look") : {
          calls: [{ name: "my", args: JSON.parse(said) }],
        };
      },
      services: {
        tools: new ToolRegistry(new ManualClock(), [watched, spawnTool(1_000)]),
        subagents: helperRules(),
        subagentPlaces: openPlaces(),
        ownFacts: { web_config: { enable: true } },
        models: MODELS,
      },
    });
  }

  async use(args: JsonObject | "spawn"): Promise<string> {
    const before = this.bench.replies().length;
    await this.bench.say(args === "spawn" ? args : JSON.stringify(args));
    await until(() => this.bench.replies().length > before);
    return this.bench.replies().at(-1) ?? "";
  }

  set(key: string, value: JsonValue): Promise<string> {
    return this.use({ action: "set", key, value });
  }

  async look(): Promise<Record<string, unknown>> {
    return JSON.parse(await this.use({ action: "check" }));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.bench[Symbol.asyncDispose]();
  }
}

const OTHER: SessionModel = {
  settings: {
    model: "other-model",
    temperature: 0,
    tokensMax: 10,
    contextWindowTokens: 50_000,
    reasoningEffort: null,
  },
  provider: new ScriptedProvider(() => "from the other"),
  description: "other",
};

const MODELS: ModelsPort = {
  standard: OTHER,
  names: [],
  find: (name) =>
    name === "other"
      ? { state: "found", model: OTHER }
      : { state: "refused", reason: "nobody answers for it" },
};

Deno.test("my shows the state of its session, and a part of it", async () => {
  await using own = new Own();
  const state = await own.look();
  assert.deepEqual(Object.keys(state), [
    "model",
    "max_iterations",
    "current_iteration",
    "context_window_tokens",
    "max_tokens",
    "max_tool_result_chars",
    "workspace",
    "timezone",
    "web_config",
    "subagents",
    "last_usage",
  ]);
  assert.equal(state["model"], "test-model");
  assert.equal(await own.use({ action: "inspect", key: "web_config.enable" }), "true");
});

Deno.test("my shows how subagents get on", async () => {
  await using own = new Own();
  await own.use("spawn");
  await until(() => own.bench.provider.requests.some(isHelper));
  const { subagents } = await own.look();
  assert.ok(Array.isArray(subagents));
  assert.equal(subagents[0].label, "look");
  assert.equal(subagents[0].phase, "thinking");
});

Deno.test.each([
  "provider",
  "tools",
  "journal",
  "services",
  "__proto__",
  "constructor",
  "toString",
  "workspace.length",
  "model.constructor",
  "gate",
  "owners",
  "channels",
  "mcp_servers",
  "api_key",
])("my tells nothing of %s", async (key) => {
  await using own = new Own();
  assert.match(await own.use({ action: "check", key }), /^Error: Cannot find/);
});

Deno.test.each<[string, JsonValue]>([
  ["workspace", "/"],
  ["workspace.x", "/"],
  ["subagents", []],
  ["current_iteration", 1],
  ["exec_config", {}],
  ["web_config.enable", false],
  ["max_tokens", 1],
  ["max_iterations", 0],
  ["max_iterations", 1_001],
  ["max_iterations", "abc"],
  ["max_iterations", true],
  ["max_iterations", null],
  ["context_window_tokens", 4_095],
  ["model", ""],
  ["model", "unheard-of"],
  ["__proto__", { a: 1 }],
  ["a.b", 1],
  ["api_key", "x"],
  ["note", { password: "x" }],
  ["deep", [[[[[[[[[[[1]]]]]]]]]]]],
  ["long", "x".repeat(60_000)],
  ["  ", 1],
])("my does not set %s to what it may not be", async (key, value) => {
  await using own = new Own();
  assert.match(await own.set(key, value), /^Error: /);
  assert.equal((await own.look())["scratchpad"], undefined);
});

Deno.test("my sets limits that hold from the next message on", async () => {
  await using own = new Own();
  await own.set("max_iterations", "80");
  await own.set("context_window_tokens", 5_000);
  const state = await own.look();
  assert.deepEqual([state["max_iterations"], state["context_window_tokens"]], [80, 5_000]);
});

Deno.test("my sets the model as /model does", async () => {
  await using own = new Own();
  assert.match(await own.set("model", "other"), /^model is other-model/);
  await own.bench.say("hello");
  await until(() => own.bench.replies().includes("from the other"));
});

Deno.test("my keeps up to 64 notes, and removes them", async () => {
  await using own = new Own();
  for (let n = 0; n < 64; n++) await own.set(`note_${n}`, { n: [n] });
  assert.match(await own.set("one_more", 1), /^Error: .*64 notes/);
  await own.set("note_0", "changed");
  assert.equal(await own.use({ action: "check", key: "note_0" }), '"changed"');
  await own.set("scratchpad.note_0", null);
  assert.match(await own.set("one_more", 1), /Noted/);
});

Deno.test("my sets nothing where the configuration does not let it", async () => {
  await using own = new Own(false);
  assert.match(await own.set("max_iterations", 5), /^Error: .*allowSet/);
  assert.equal((await own.look())["max_iterations"], 20);
});
