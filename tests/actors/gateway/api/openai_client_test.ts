import assert from "node:assert/strict";
import OpenAI from "openai";
import { callTool, say } from "../../../simulators/model_server.ts";
import type { ModelReply, RecordedRequest } from "../../../simulators/model_server.ts";
import { lastUserText } from "../../../simulators/model_server.ts";
import { ApiGateway } from "../../../support/api_gateway.ts";
import { until } from "../../../support/until.ts";

const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

/** What the model says to the words of a person. */
function script(request: RecordedRequest): ModelReply {
  const words = lastUserText(request);
  const results = request.body.messages.filter(({ role }) => role === "tool").length;
  const usage = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 };
  const told = { type: "usage", usage } as const;
  if (words.includes("broken model")) return { status: 401, body: { error: { message: "no" } } };
  if (words.includes("for ever")) {
    return { steps: [{ type: "text", text: "Well" }, { type: "stall" }] };
  }
  if (words.includes("the gate")) {
    return { steps: [{ type: "pause", until: "open" }, ...say("Open.").steps] };
  }
  if (words.includes("cut off")) {
    return {
      steps: [{ type: "text", text: "Half" }, { type: "finish", reason: "content_filter" }],
    };
  }
  if (words.includes("look around") && results === 0) {
    return callTool("list_dir", { path: "." }, { text: "Let me look." });
  }
  if (words.includes("tell by a tool") && results === 0) {
    return callTool("message", { content: "Told by a tool." });
  }
  if (words.includes("tell by a tool")) return say("Not sent.");
  const texts = say("Hello ", `to "${words.split("\n").at(-1)}"`).steps;
  return { steps: [...texts, { type: "finish", reason: "stop" }, told] };
}

Deno.test("The official client uses the API unchanged", async (t) => {
  await using gateway = await ApiGateway.start({ script, api: { maxConcurrentRequests: 4 } });
  const client = gateway.client();
  const step = (name: string, fn: () => Promise<void>) =>
    t.step({ name, fn, sanitizeOps: false, sanitizeResources: false });
  const ask = (content: string, session?: string) =>
    client.chat.completions.create({
      model: "test-model",
      messages: [{ role: "user", content }],
      ...(session !== undefined && { user: session }),
    });
  const read = async (content: string, session: string) => {
    const stream = await client.chat.completions.create({
      model: "test-model",
      messages: [{ role: "user", content }],
      user: session,
      stream: true,
      stream_options: { include_usage: true },
    });
    return await Array.fromAsync(stream);
  };
  const textOf = (chunks: readonly OpenAI.ChatCompletionChunk[]) =>
    chunks.map(({ choices: [choice] }) => choice?.delta.content ?? "").join("");

  await step("lists the model", async () => {
    const { data: [model] } = await client.models.list();
    assert.equal(model?.id, "test-model");
    assert.equal((await client.models.retrieve("test-model")).owned_by, "troupe");
    await assert.rejects(client.models.retrieve("gpt-x"), OpenAI.NotFoundError);
  });

  await step("answers whole, with what was really used", async () => {
    const { choices: [choice], usage, object, model, id, _request_id } = await ask(
      "good morning",
      "w",
    );
    assert.match(choice?.message.content ?? "", /^Hello to "good morning"$/);
    assert.equal(choice?.finish_reason, "stop");
    assert.deepEqual([usage?.prompt_tokens, usage?.completion_tokens, usage?.total_tokens], [
      ...[100, 10, 110],
    ]);
    assert.deepEqual([object, model], ["chat.completion", "test-model"]);
    assert.equal(id, `chatcmpl-${_request_id}`);
  });

  await step("streams: role first, pieces, the end, the usage", async () => {
    const chunks = await read("good evening", "s");
    assert.deepEqual(chunks[0]?.choices[0]?.delta, { role: "assistant", content: "" });
    assert.match(textOf(chunks), /^Hello to "good evening"$/);
    assert.ok(chunks.length >= 4, "it comes in pieces");
    assert.equal(new Set(chunks.map(({ id }) => id)).size, 1);
    const [end, used] = chunks.slice(-2);
    assert.deepEqual(end?.choices[0]?.delta, {});
    assert.equal(end?.choices[0]?.finish_reason, "stop");
    assert.deepEqual(used?.choices, []);
    assert.equal(used?.usage?.total_tokens, 110);
    assert.ok(chunks.slice(0, -1).every(({ usage }) => usage === null));
  });

  await step("streams on over a run of tools, and counts all calls", async () => {
    const chunks = await read("look around", "tools");
    assert.match(textOf(chunks), /^Let me look\.\n\nHello to "look around"$/);
    assert.equal(chunks.at(-2)?.choices[0]?.finish_reason, "stop");
  });

  await step("answers commands, streamed or not", async () => {
    const { choices: [choice] } = await ask("/help", "c");
    assert.match(choice?.message.content ?? "", /\/status/);
    assert.match(textOf(await read("/new", "c")), /new session/i);
  });

  await step("gives what a tool has sent in place of the answer, once", async () => {
    const before = gateway.model.requests.length;
    const { choices: [choice] } = await ask("tell by a tool", "m");
    assert.equal(choice?.message.content, "Told by a tool.");
    assert.equal(textOf(await read("tell by a tool", "m2")), "Told by a tool.");
    assert.equal(gateway.model.requests.length - before, 4, "no turn was run twice");
  });

  await step("keeps conversations apart, and continues each by its name", async () => {
    await ask("my colour is green", "one");
    await ask("which colour?", "one");
    const texts = () => JSON.stringify(gateway.model.requests.at(-1)?.body.messages);
    assert.match(texts(), /green/);
    await ask("which colour?", "two");
    assert.doesNotMatch(texts(), /green/);
    await client.chat.completions.create(
      { model: "test-model", messages: [{ role: "user", content: "and by header?" }] },
      { headers: { "x-session-id": "one" } },
    );
    assert.match(texts(), /green/);
  });

  await step(
    "tells the model a conversation that it does not know, and none that it does",
    async () => {
      const create = (messages: OpenAI.ChatCompletionMessageParam[]) =>
        client.chat.completions.create({ model: "test-model", messages, user: "brought" });
      const texts = () => JSON.stringify(gateway.model.requests.at(-1)?.body.messages);
      const messages: OpenAI.ChatCompletionMessageParam[] = [
        { role: "system", content: "Speak like a pirate." },
        { role: "user", content: "My dog is called Rex." },
        { role: "assistant", content: "Noted." },
        { role: "user", content: "What is his name?" },
      ];
      const { choices: [choice] } = await create(messages);
      assert.match(texts(), /Speak like a pirate/);
      assert.match(texts(), /My dog is called Rex/);
      const answer = choice?.message.content ?? "";
      await create([...messages, { role: "assistant", content: answer }, {
        role: "user",
        content: "Hm",
      }]);
      assert.doesNotMatch(texts(), /My dog is called Rex/);
      assert.match(texts(), /What is his name/);
    },
  );

  await step("shows the model pictures", async () => {
    await client.chat.completions.create({
      model: "test-model",
      messages: [{
        role: "user",
        content: [
          { type: "text", text: "what is this?" },
          { type: "image_url", image_url: { url: `data:image/png;base64,${PNG}` } },
        ],
      }],
    });
    const said = JSON.stringify(gateway.model.requests.at(-1)?.body.messages.at(-1));
    assert.match(said, new RegExp(`data:image/png;base64,${PNG.slice(0, 40)}`));
  });

  await step("refuses what it cannot take, in OpenAI's shape", async () => {
    const image = { type: "image_url", image_url: { url: "https://example.org/a.png" } } as const;
    const wrong: readonly [OpenAI.ChatCompletionCreateParamsNonStreaming, RegExp][] = [
      [{ model: "gpt-x", messages: [{ role: "user", content: "x" }] }, /model is "test-model"/],
      [{ model: "test-model", messages: [] }, /messages/],
      [{ model: "test-model", messages: [{ role: "system", content: "x" }] }, /role user/],
      [{ model: "test-model", messages: [{ role: "user", content: [image] }] }, /data URL/],
      [{ model: "test-model", messages: [{ role: "user", content: "x" }], n: 2 }, /n must be 1/],
    ];
    for (const [body, message] of wrong) {
      await assert.rejects(client.chat.completions.create(body), (error) => {
        assert.ok(error instanceof OpenAI.BadRequestError);
        assert.match(error.message, message);
        assert.equal(error.type, "invalid_request_error");
        return true;
      });
    }
  });

  await step(
    "tells failures of the model as failures, streamed or not, and repeats none",
    async () => {
      const before = gateway.model.requests.length;
      const retrying = gateway.client({ maxRetries: 2 });
      await assert.rejects(
        retrying.chat.completions.create({
          model: "test-model",
          messages: [{ role: "user", content: "broken model" }],
          user: "f",
        }),
        (error) => error instanceof OpenAI.InternalServerError && error.code === "turn_failed",
      );
      assert.equal(gateway.model.requests.length - before, 1);
      await assert.rejects(read("broken model", "f2"), /turn_failed|key|refused|failed/i);
    },
  );

  await step("says when an answer was cut off", async () => {
    const { choices: [choice] } = await ask("cut off", "cut");
    assert.equal(choice?.finish_reason, "content_filter");
  });

  await step(
    "stops the turn of a client that goes, and nothing else of its conversation",
    async () => {
      const gone = new AbortController();
      const left = client.chat.completions.create(
        { model: "test-model", messages: [{ role: "user", content: "go on for ever" }], user: "a" },
        { signal: gone.signal },
      );
      await until(() => gateway.model.running === 1, { what: "the turn" });
      const waiting = ask("and me?", "a");
      gone.abort();
      await assert.rejects(left, OpenAI.APIUserAbortError);
      assert.match((await waiting).choices[0]?.message.content ?? "", /and me\?"$/);
      assert.equal(gateway.model.running, 0);
    },
  );

  await step("stops the turn of a client that leaves its stream", async () => {
    const stream = await client.chat.completions.create({
      model: "test-model",
      messages: [{ role: "user", content: "go on for ever" }],
      user: "b",
      stream: true,
    });
    for await (const { choices: [choice] } of stream) {
      if (choice?.delta.content === "Well") break;
    }
    await until(() => gateway.model.running === 0, { what: "the end of the turn" });
    assert.match((await ask("still there?", "b")).choices[0]?.message.content ?? "", /there\?"$/);
  });

  await step("answers a repeated message as it did, without working on it again", async () => {
    const options = { headers: { "idempotency-key": "k-1" } };
    const body = {
      model: "test-model",
      messages: [{ role: "user" as const, content: "only once" }],
      user: "once",
    };
    const before = gateway.model.requests.length;
    const [first, second] = await Promise.all([
      client.chat.completions.create(body, options),
      client.chat.completions.create(body, options),
    ]);
    const third = await client.chat.completions.create(body, options);
    assert.equal(gateway.model.requests.length - before, 1);
    const [answer] = first.choices;
    assert.deepEqual([second.choices[0], third.choices[0]], [answer, answer]);
    assert.deepEqual(third.usage, first.usage);
  });

  await step("takes no more at once than it is set to", async () => {
    const busy = Array.from({ length: 4 }, (_, index) => ask("wait for the gate", `busy-${index}`));
    await until(() => gateway.model.running === 3, { what: "as many turns as the gate lets run" });
    await until(async () => {
      const [refused] = await Promise.allSettled([ask("/help", "more")]);
      return refused.status === "rejected" && refused.reason instanceof OpenAI.RateLimitError;
    }, { what: "the refusal of a fifth request" });
    gateway.model.release("open");
    const answers = await Promise.all(busy);
    assert.equal(answers.length, 4);
    assert.match((await ask("/help", "more")).choices[0]?.message.content ?? "", /status/);
  });
});
