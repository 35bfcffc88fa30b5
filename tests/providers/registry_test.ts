import assert from "node:assert/strict";
import { z } from "zod";
import { chooseProvider, createProvider, type ProviderChoice } from "../../providers/registry.ts";
import { askAll, errorOf, responseOf } from "../support/chat.ts";
import { ManualClock } from "../support/manual_clock.ts";
import { until } from "../support/until.ts";
import { ModelServer, refuse, say } from "../simulators/model_server.ts";

function create(choice: ProviderChoice, clock: ManualClock = new ManualClock()) {
  assert.notEqual(choice.state, "problem");
  if (choice.state === "problem") throw new TypeError(choice.problem);
  let ids = 0;
  return createProvider(choice, {
    clock,
    random: { next: () => 0 },
    newId: () => `id${++ids}`,
    configPath: "~/.troupe/config.json",
  });
}

function custom(apiBase: string): ProviderChoice {
  return chooseProvider({ model: "m", provider: "custom", providers: { custom: { apiBase } } });
}

Deno.test("createProvider makes a provider that answers", async () => {
  await using server = await ModelServer.start([say("a")]);
  const provider = create(custom(server.baseUrl));
  assert.equal(provider.name, "custom");
  assert.equal(responseOf(await askAll(provider)).content, "a");
});

Deno.test("createProvider makes a provider that asks again", async () => {
  await using server = await ModelServer.start([
    refuse(500, { message: "x" }),
    { steps: [{ type: "text", text: "half" }, { type: "cut", how: "reset" }] },
    say("whole"),
  ]);
  const clock = new ManualClock();
  const asked = askAll(create(custom(server.baseUrl), clock));
  for (const delayMs of [1_000, 2_000]) {
    await until(() => clock.nextDueMs === clock.now() + delayMs);
    await clock.advance(delayMs);
  }
  const events = await asked;
  assert.deepEqual(events.map(({ type }) => type), [
    "waiting",
    "text",
    "waiting",
    "restarted",
    "text",
    "finished",
  ]);
  assert.equal(responseOf(events).content, "whole");
});

Deno.test("createProvider tells how to set a provider up while there is none", async () => {
  const provider = create(chooseProvider({ model: "m", provider: "auto", providers: {} }));
  await provider.preload();
  const error = errorOf(await askAll(provider));
  assert.equal(error.code, "provider_unconfigured");
  assert.equal(error.recovery, "give_up");
  assert.match(error.userText, /~\/\.troupe\/config\.json/);
  assert.match(error.userText, /"providers"/);
  assert.match(error.userText, /apiKey/);
});

Deno.test("createProvider comes without any backend or SDK", async () => {
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", REGISTRY],
    stdout: "piped",
  }).output();
  const { modules } = graph.parse(JSON.parse(new TextDecoder().decode(stdout)));
  const imports = new Map(modules.map(({ specifier, dependencies }) => [specifier, dependencies]));
  const loaded = new Set([REGISTRY]);
  for (const specifier of loaded) {
    for (const { isDynamic, code, npmPackage } of imports.get(specifier) ?? []) {
      if (!isDynamic) loaded.add(npmPackage ?? code?.specifier ?? "");
    }
  }
  const names = [...loaded].join(" ");
  assert.match(names, /providers\/retry\.ts/);
  assert.doesNotMatch(
    names,
    /zod|jsonrepair|eventsource|npm\/openai|openai@|anthropic\.ts|copilot\.ts/,
  );
});

const REGISTRY = new URL("../../providers/registry.ts", import.meta.url).href;

const graph = z.object({
  modules: z.array(z.object({
    specifier: z.string(),
    dependencies: z.array(z.object({
      isDynamic: z.boolean().default(false),
      npmPackage: z.string().optional(),
      code: z.object({ specifier: z.string() }).optional(),
    })).default([]),
  })),
});
