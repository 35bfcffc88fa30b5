import assert from "node:assert/strict";
import type { HookNews, HooksPort } from "../../../actors/tools/hooks/hook_event.ts";
import { SessionBench } from "../../support/session_bench.ts";
import { providerError, type ScriptedAnswer } from "../../support/scripted_provider.ts";
import { until } from "../../support/until.ts";

/** Remembers what it is told, and refuses the tools that it is given reasons for. */
class Listener implements HooksPort {
  readonly told: HookNews[] = [];
  readonly #reasons: Readonly<Record<string, string>>;

  constructor(reasons: Readonly<Record<string, string>> = {}) {
    this.#reasons = reasons;
  }

  tell(news: HookNews): void {
    this.told.push(news);
  }

  refusal(call: { readonly tool: string }): Promise<string | null> {
    return Promise.resolve(this.#reasons[call.tool] ?? null);
  }

  get story(): string[] {
    return this.told.map((news) => {
      const outcome = "outcome" in news ? ` ${news.outcome}` : "";
      return `${news.event}${"tool" in news ? ` ${news.tool}` : ""}${outcome}`;
    });
  }
}

function calling(...names: string[]): ScriptedAnswer {
  return { calls: names.map((name) => ({ name, args: { path: "a" } })) };
}

Deno.test("Hooks hear of a turn and its calls in order, and keep a call from running", async () => {
  const hooks = new Listener({ exec: 'the hook "guard" refused it: not today' });
  await using bench = new SessionBench({
    script: [calling("read_file", "exec"), "Done."],
    tools: { read_file: { run: () => "text" }, exec: { run: () => "ran" } },
    services: { hooks },
  });
  await bench.say("Go");
  await bench.quiet();
  assert.deepEqual(bench.ran, ['read_file {"path":"a"}']);
  assert.deepEqual(hooks.story, [
    "turn_start",
    "tool_after read_file ok",
    "tool_after exec error",
    "turn_end done",
  ]);
  const refused = bench.story().find((line) => line.includes("guard")) ?? "";
  assert.match(refused, /^tool call_0_1 Error: exec was not allowed: .*refused it: not today\. It/);
  const [, read] = hooks.told;
  assert.partialDeepStrictEqual(read, {
    session: "feishu:oc_1",
    channel: "feishu",
    chat: "oc_1",
    sender: "ou_1",
    source: "person",
    call: "call_0_0",
    arguments: { path: "a" },
    result: "text",
  });
});

Deno.test("Hooks hear that a turn failed", async () => {
  const hooks = new Listener();
  await using bench = new SessionBench({
    script: [{ error: providerError("provider_bad_request") }],
    services: { hooks },
  });
  await bench.say("Go");
  await bench.quiet();
  assert.deepEqual(hooks.story, ["turn_start", "turn_end failed"]);
});

Deno.test("Hooks hear that a turn was stopped in the middle of a call", async () => {
  const hooks = new Listener();
  const { promise: never } = Promise.withResolvers<string>();
  await using bench = new SessionBench({
    script: [calling("exec")],
    tools: { exec: { run: () => never } },
    services: { hooks },
  });
  await bench.say("Go");
  await until(() => bench.ran.length > 0);
  await bench.say("/stop");
  await bench.quiet();
  assert.deepEqual(hooks.story, ["turn_start", "tool_after exec aborted", "turn_end stopped"]);
});
