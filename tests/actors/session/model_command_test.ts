import assert from "node:assert/strict";
import type { ModelsPort, SessionModel } from "../../../actors/session/ports.ts";
import { ScriptedProvider } from "../../support/scripted_provider.ts";
import { type Disk, SessionBench } from "../../support/session_bench.ts";
import { benchSettings } from "../../support/session_services.ts";
import { until } from "../../support/until.ts";

/** Models of which `fast` is one, and `gone` is none. */
class Models implements ModelsPort {
  readonly standardProvider = new ScriptedProvider(() => "from the standard");
  readonly fastProvider = new ScriptedProvider(() => "from the fast one");
  readonly names = ["fast"];
  readonly standard: SessionModel = {
    settings: benchSettings(),
    provider: this.standardProvider,
    description: "test-model by Testers",
  };

  find(name: string): ReturnType<ModelsPort["find"]> {
    if (name !== "Fast-1") return { state: "refused", reason: "nobody has a key for it" };
    const settings = { ...benchSettings(), model: "fast-1", contextWindowTokens: 50_000 };
    const description = "fast-1 by Runners";
    return { state: "found", model: { settings, provider: this.fastProvider, description } };
  }
}

function bench(models: ModelsPort & { standardProvider: ScriptedProvider }, disk?: Disk) {
  const { standardProvider: provider } = models;
  return new SessionBench({ provider, services: { models }, ...(disk && { disk }) });
}

Deno.test("/model shows the model and how to change it", async () => {
  await using session = bench(new Models());
  await session.say("/model");
  await session.quiet();
  assert.deepEqual(session.replies(), [
    [
      "Model: test-model by Testers",
      "It is the configured one.",
      "Window: 100000 tokens, longest answer: 1000 tokens, reasoning effort: up to the model",
      "Known by name: fast",
      "/model <name> changes it for this session, /model default goes back.",
    ].join("\n"),
  ]);
});

Deno.test("/model changes the session's model from the next turn on, and back", async () => {
  const models = new Models();
  await using session = bench(models);
  await session.say("/MODEL Fast-1");
  await session.say("hi");
  await session.quiet();
  assert.equal(models.fastProvider.requests[0]?.model, "fast-1");
  await session.say("/status");
  await session.quiet();
  await session.say("/model DEFAULT");
  await session.say("hi again");
  await session.quiet();
  const [changed, first, status = "", back, second] = session.replies();
  assert.match(changed ?? "", /fast-1 by Runners, from the next message on/);
  assert.equal(first, "from the fast one");
  assert.match(status, /^Model: fast-1$/m);
  assert.match(status, /\/50k /);
  assert.match(back ?? "", /back with the configured model: test-model by Testers/);
  assert.equal(second, "from the standard");
});

Deno.test("/model leaves the turn that runs its model", async () => {
  const held = Promise.withResolvers<void>();
  const models = new Models();
  const provider = new ScriptedProvider((_request, index) =>
    index === 0 ? { calls: [{ name: "wait" }] } : "still the standard"
  );
  await using session = new SessionBench({
    provider,
    services: { models },
    tools: { wait: { run: () => held.promise.then(() => "waited") } },
  });
  await session.say("work");
  await until(() => session.ran.length === 1);
  await session.say("/model Fast-1");
  await until(() => session.replies().length === 1);
  held.resolve();
  await session.quiet();
  await session.say("and now");
  await session.quiet();
  assert.deepEqual(session.replies().slice(1), ["still the standard", "from the fast one"]);
});

Deno.test("/model refuses what cannot be had, with the reason", async () => {
  const models = new Models();
  await using session = bench(models);
  await session.say("/model gone");
  await session.say("hi");
  await session.quiet();
  const [refused = "", answer] = session.replies();
  assert.match(refused, /cannot use "gone": nobody has a key for it/);
  assert.equal(answer, "from the standard");
});

Deno.test("A session keeps its model over a restart, and loses it with /new", async () => {
  await using first = bench(new Models());
  await first.say("/model Fast-1");
  await first.say("hi");
  await first.quiet();
  await using session = bench(new Models(), first.crash());
  await session.say("hi");
  await session.quiet();
  await session.say("/new");
  await session.say("hi");
  await session.quiet();
  assert.deepEqual(session.replies(), [
    "from the fast one",
    "New session started.",
    "from the standard",
  ]);
});

Deno.test("A session whose model cannot be had any more goes on, and says so when asked", async () => {
  await using first = bench(new Models());
  await first.say("/model Fast-1");
  await first.quiet();
  const disk = first.crash();
  const models = new Models();
  models.find = () => ({ state: "refused", reason: "its key is gone" });
  await using session = bench(models, disk);
  await session.say("hi");
  await session.say("/model");
  await session.quiet();
  const replies = session.replies();
  assert.ok(replies.includes("from the standard"));
  const shown = replies.find((text) => text.startsWith("Model: ")) ?? "";
  assert.match(shown, /^Model: test-model/);
  assert.match(shown, /chose "Fast-1", which cannot be had: its key is gone/);
});
