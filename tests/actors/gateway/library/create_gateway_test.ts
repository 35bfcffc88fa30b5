import assert from "node:assert/strict";
import { z } from "zod";
import { main as example } from "../../../../docs/examples/library.ts";
import {
  createGateway,
  type CreateGatewayOptions,
  defineTool,
  type ExchangeEvent,
} from "../../../../mod.ts";
import { providerError, ScriptedProvider } from "../../../support/scripted_provider.ts";
import { temporaryFolder } from "../../../support/temporary_folder.ts";
import { until } from "../../../support/until.ts";

const USAGE = { promptTokens: 100, completionTokens: 10, totalTokens: 110, cachedTokens: 40 };
const SETTINGS: Pick<CreateGatewayOptions, "config"> = {
  config: {
    agents: { defaults: { model: "scripted-1" } },
    tools: { exec: { enable: false }, web: { enable: false } },
  },
};

const echo = defineTool({
  name: "echo",
  description: "Says the same.",
  parameters: z.object({ text: z.string() }),
  needs: {},
  concurrency: "shared",
  timeoutMs: 1_000,
  run: ({ text }) => Promise.resolve({ content: text, isError: false }),
});

/** The types of events, repetitions left out. */
function typesOf(events: readonly ExchangeEvent[]): readonly string[] {
  return events.map(({ type }) => type).filter((type, index, all) => all[index - 1] !== type);
}

Deno.test("A program runs a gateway, with tools and a provider of its own, and nothing is left", async (t) => {
  await using folder = await temporaryFolder();
  const { promise: held, resolve: letGo } = Promise.withResolvers<void>();
  const provider = new ScriptedProvider(({ messages }) => {
    const said = JSON.stringify(messages.at(-1));
    if (said.includes("hold on")) return { pieces: ["Wait"], after: held, usage: USAGE };
    if (said.includes("fail")) return { error: providerError("provider_auth", "no key") };
    if (said.includes("use it")) {
      return {
        reasoning: "I should.",
        text: "One moment.",
        calls: [{ name: "echo", args: { text: "heard" } }],
        usage: USAGE,
      };
    }
    return { pieces: ["All ", "done."], usage: USAGE };
  });
  {
    const options = { ...SETTINGS, folder: folder.path, provider, tools: [echo] };
    await using gateway = await createGateway(options);

    await t.step("events come in order, up to the end", async () => {
      const events = await Array.fromAsync(gateway.send("please use it"));
      assert.deepEqual(typesOf(events), [
        ...["accepted", "started", "reasoning_delta", "text_delta", "usage"],
        ...["tool_called", "tool_ended", "text_delta", "usage", "finished"],
      ]);
      const [called] = events.filter((event) => event.type === "tool_called");
      const [ended] = events.filter((event) => event.type === "tool_ended");
      assert.deepEqual([called?.tool, called?.args], ["echo", { text: "heard" }]);
      assert.deepEqual([ended?.text, ended?.isError], ["heard", false]);
      const text = events.flatMap((event) => event.type === "text_delta" ? [event.text] : []);
      assert.equal(text.join(""), "One moment.\n\nAll done.");
      const end = events.at(-1);
      assert.ok(end?.type === "finished");
      assert.equal(end.text.endsWith("All done."), true);
      assert.deepEqual([end.usage.totalTokens, end.usage.cachedTokens], [220, 80]);
    });

    await t.step("an answer can be waited for, in a conversation by its name", async () => {
      const { text } = await gateway.ask("hello", { session: "talk" });
      assert.equal(text, "All done.");
      const said = await gateway.history("talk");
      assert.deepEqual(said?.map(({ role }) => role), ["user", "assistant"]);
      assert.equal(await gateway.history("no such"), null);
    });

    await t.step("a failure is an event, and an error of who only waits", async () => {
      const [end] = (await Array.fromAsync(gateway.send("please fail"))).slice(-1);
      assert.ok(end?.type === "failed");
      assert.equal(end.reason, "turn_failed");
      await assert.rejects(gateway.ask("please fail"), { code: "turn_failed", message: /no key/ });
    });

    await t.step("a signal stops the work on one message", async () => {
      const gone = new AbortController();
      const exchange = gateway.send("hold on", { session: "s", signal: gone.signal });
      for await (const event of exchange) if (event.type === "text_delta") gone.abort();
      const end = await exchange.end;
      assert.ok(end.type === "failed");
      assert.equal(end.reason, "stopped");
      assert.equal((await gateway.ask("hello", { session: "s" })).text, "All done.");
    });

    await t.step("a message under the same id is worked on once", async () => {
      const before = provider.requests.length;
      const [one, two] = await Promise.all([
        gateway.ask("hello", { id: "m1" }),
        gateway.ask("hello", { id: "m1" }),
      ]);
      assert.deepEqual(await gateway.ask("hello", { id: "m1" }), one);
      assert.deepEqual(two, one);
      assert.equal(provider.requests.length - before, 1);
    });
  }
  const running = provider.running;
  assert.equal(running, 0);
  letGo();

  await t.step("what was answered is known to the next one", async () => {
    const before = provider.requests.length;
    await using gateway = await createGateway({ ...SETTINGS, folder: folder.path, provider });
    assert.equal((await gateway.ask("hello", { id: "m1" })).text, "All done.");
    assert.equal(provider.requests.length, before);
  });

  await t.step("a channel of the program's own is served like any other", async () => {
    const shown: string[] = [];
    const { promise: connected, resolve: connect } = Promise.withResolvers<
      () => Promise<unknown>
    >();
    await using _gateway = await createGateway({
      ...SETTINGS,
      ...{ folder: folder.path, provider },
      channels: [{
        name: "desk",
        create: ({ signal, report, handIn }) => ({
          isStreaming: false,
          run: async () => {
            report({ state: "ready", detail: "in the test" });
            connect(() =>
              handIn({
                ...{ platformId: "d1", chatId: "c1", senderId: "ada", content: "hello" },
                ...{ media: [], context: {} },
              })
            );
            await new Promise<void>((resolve) =>
              signal.addEventListener("abort", () => resolve(), { once: true })
            );
          },
          deliver: ({ text }) => {
            shown.push(text);
            return Promise.resolve({ messageIds: ["1"] });
          },
        }),
      }],
    });
    assert.equal(await (await connected)(), "accepted");
    await until(() => shown.length === 1, { what: "the answer" });
    assert.deepEqual(shown, ["All done."]);
  });
});

Deno.test("The example program asks, shows its tool at work, and says what it cost", async () => {
  await using folder = await temporaryFolder();
  const provider = new ScriptedProvider([
    { calls: [{ name: "thermometer", args: { city: "Oslo" } }], usage: USAGE },
    { text: "21 degrees.", usage: USAGE },
  ]);
  let said = "";
  const options = { ...SETTINGS, folder: folder.path, provider };
  await example("How warm is it in Oslo?", (text) => said += text, options);
  assert.equal(
    said,
    '\n[thermometer {"city":"Oslo"}] -> It is 21 °C in Oslo.\n21 degrees.\n(220 tokens)\n',
  );
});

Deno.test("Options that contradict each other are refused before anything starts", async () => {
  await assert.rejects(createGateway({ config: {} }), /config and folder go together/);
  await assert.rejects(createGateway({ config: {}, folder: "/x", configFile: "/y" }), /not both/);
  const create = () => ({
    isStreaming: false,
    run: () => Promise.resolve(),
    deliver: () => Promise.resolve({ messageIds: [] }),
  });
  const provider = new ScriptedProvider([]);
  await assert.rejects(createGateway({ providers: [provider, provider] }), /name of its own/);
  await assert.rejects(
    createGateway({ channels: [{ name: "cli", create }] }),
    /"cli": it is taken/,
  );
});
