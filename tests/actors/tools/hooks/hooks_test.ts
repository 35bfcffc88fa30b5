import assert from "node:assert/strict";
import type { JsonObject, JsonValue } from "../../../../actors/kernel/json.ts";
import type { HookOptions, RunHook } from "../../../../actors/tools/hooks/hook.ts";
import type { HookedCall, TurnStartNews } from "../../../../actors/tools/hooks/hook_event.ts";
import { Hooks } from "../../../../actors/tools/hooks/hooks.ts";
import { ManualClock } from "../../../support/manual_clock.ts";
import { settle } from "../../../support/until.ts";

const PLACE = {
  ...{ session: "feishu:oc_1", turn: "t1", channel: "feishu", chat: "oc_1", sender: "ou_1" },
  source: "person" as const,
};

function call(change: Partial<HookedCall> = {}): HookedCall {
  return { ...PLACE, call: "c1", tool: "exec", arguments: { command: "ls" }, ...change };
}

function started(change: Partial<TurnStartNews> = {}): TurnStartNews {
  return { ...PLACE, event: "turn_start", isAgain: false, ...change };
}

function hook(run: RunHook, change: Partial<HookOptions> = {}): HookOptions {
  return {
    name: "guard",
    on: new Set(["tool_before", "turn_start"]),
    isFor: () => true,
    timeoutMs: 5_000,
    onFailure: "refuse",
    run,
    ...change,
  };
}

function saying(said: JsonValue): RunHook {
  return () => Promise.resolve(said);
}

/** Hooks on a clock that the test moves; hold them with `await using`. */
function world(hooks: readonly HookOptions[], secrets: readonly string[] = []) {
  const clock = new ManualClock();
  const all = new Hooks({ hooks, clock, secrets });
  const ask = (change?: Partial<HookedCall>, signal = new AbortController().signal) =>
    all.refusal(call(change), signal);
  return { clock, hooks: all, ask, [Symbol.asyncDispose]: () => all[Symbol.asyncDispose]() };
}

const never: RunHook = (_event, signal) =>
  new Promise((_, reject) =>
    signal.addEventListener("abort", () => reject(signal.reason), { once: true })
  );
const REFUSAL = { decision: "refuse", reason: "not today" };

Deno.test.each<[JsonValue, RegExp | null]>([
  [null, null],
  [{ decision: "allow" }, null],
  [REFUSAL, /^the hook "guard" refused it: not today$/],
  [{ decision: "refuse", reason: " " }, /no answer .*no answer\)$/],
  [{ decision: "perhaps" }, /has to agree, and gave no answer/],
  ["allow", /has to agree, and gave no answer/],
  [[], /has to agree, and gave no answer/],
])("A hook that says %j has its say in a call", async (said, reason) => {
  await using all = world([hook(saying(said))]);
  const refusal = await all.ask();
  if (reason === null) assert.equal(refusal, null);
  else assert.match(refusal ?? "", reason);
});

Deno.test("A hook that fails lets calls run where it is set to", async () => {
  const broken = hook(() => Promise.reject(new TypeError("broken")), { onFailure: "allow" });
  await using all = world([broken]);
  assert.equal(await all.ask(), null);
});

Deno.test("A hook that hangs costs its own time, and then the call", async () => {
  await using all = world([hook(never)]);
  const asked = all.ask();
  await all.clock.advance(4_999);
  let isOver = false;
  void asked.then(() => isOver = true);
  await settle();
  assert.equal(isOver, false);
  await all.clock.advance(1);
  assert.match(await asked ?? "", /it took longer than 5 s/);
});

Deno.test("A hook that fails three times in a row is left alone for a minute", async () => {
  let runs = 0;
  const broken = hook(() => {
    runs++;
    return Promise.reject(new TypeError("broken"));
  });
  await using all = world([broken]);
  for (let n = 0; n < 5; n++) assert.match(await all.ask() ?? "", /gave no answer/);
  assert.equal(runs, 3);
  all.hooks.tell(started());
  await all.clock.advance(59_999);
  await all.ask();
  assert.equal(runs, 3);
  await all.clock.advance(1);
  await all.ask();
  assert.equal(runs, 4);
});

Deno.test("Hooks are asked in their order until one refuses, about tools that are theirs", async () => {
  const asked: string[] = [];
  const named = (name: string, said: JsonValue, tool = "exec") =>
    hook((event) => {
      asked.push(`${name} ${event["tool"]}`);
      return Promise.resolve(said);
    }, { name, isFor: (candidate) => candidate === tool });
  await using all = world([
    named("first", null),
    named("other", REFUSAL, "read_file"),
    named("second", REFUSAL),
    named("third", null),
  ]);
  assert.match(await all.ask() ?? "", /"second" refused/);
  assert.deepEqual(asked, ["first exec", "second exec"]);
  await all.ask({ tool: "read_file" });
  assert.deepEqual(asked.at(-1), "other read_file");
});

Deno.test("A hook hears what happens in a conversation in order, and of others meanwhile", async () => {
  const heard: string[] = [];
  const first = Promise.withResolvers<void>();
  const slow: RunHook = async (event) => {
    if (heard.push(`${event["session"]} ${event["event"]} ${event["turn"]}`) === 1) {
      await first.promise;
    }
    return null;
  };
  await using all = world([hook(slow)]);
  all.hooks.tell(started());
  all.hooks.tell(started({ turn: "t2" }));
  const asked = all.ask({ turn: "t2" });
  all.hooks.tell(started({ session: "b", turn: "t3" }));
  await settle();
  assert.deepEqual(heard, ["feishu:oc_1 turn_start t1", "b turn_start t3"]);
  first.resolve();
  assert.equal(await asked, null);
  assert.deepEqual(heard.slice(2), ["feishu:oc_1 turn_start t2", "feishu:oc_1 tool_before t2"]);
});

Deno.test("A call whose turn is stopped does not wait for a hook", async () => {
  await using all = world([hook(never)]);
  const turn = new AbortController();
  const asked = all.ask({}, turn.signal);
  await settle();
  turn.abort(new TypeError("stopped"));
  await assert.rejects(asked, /stopped/);
  assert.equal(all.clock.pending, 0, "no time limit is left");
});

Deno.test("No hook sees a secret, and the call keeps it", async () => {
  const seen: JsonObject[] = [];
  const nosy = hook((event) => {
    seen.push(event);
    return Promise.resolve(null);
  });
  await using all = world([nosy], ["hunter2hunter2"]);
  const args = { command: "curl -u me:hunter2hunter2", nested: [{ apiKey: "abc" }] };
  await all.ask({ arguments: args });
  assert.deepEqual(seen[0]?.["arguments"], {
    command: "curl -u me:***",
    nested: [{ apiKey: "***" }],
  });
  assert.equal(args.nested[0]?.apiKey, "abc");
});

Deno.test("What is too long for a hook is not agreed to", async () => {
  await using all = world([hook(saying(null))]);
  const refusal = await all.ask({ arguments: { command: "x".repeat(2_000_001) } });
  assert.match(refusal ?? "", /too long to be handed over/);
});

Deno.test("A hook that is too slow misses news, and is asked all the same", async () => {
  let heard = 0;
  const gate = Promise.withResolvers<void>();
  await using all = world([
    hook(async () => {
      heard++;
      await gate.promise;
      return REFUSAL;
    }),
  ]);
  for (let n = 0; n < 1_500; n++) all.hooks.tell(started());
  const asked = all.ask();
  gate.resolve();
  assert.match(await asked ?? "", /not today/);
  assert.ok(heard > 900 && heard < 1_100, `${heard}`);
});

Deno.test("Hooks hear what waits when they are disposed, for two seconds", async () => {
  const heard: string[] = [];
  const quick = hook((event) => {
    heard.push(String(event["event"]));
    return Promise.resolve(null);
  });
  const { hooks, clock } = world([quick, hook(never, { name: "slow", timeoutMs: 60_000 })]);
  hooks.tell(started());
  const disposed = hooks[Symbol.asyncDispose]();
  hooks.tell(started());
  await clock.advance(2_000);
  await disposed;
  assert.deepEqual(heard, ["turn_start"]);
  assert.equal(clock.pending, 0);
});
