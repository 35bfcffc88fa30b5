import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { LogLevel, SocketModeClient } from "@slack/socket-mode";
import { WebClient } from "@slack/web-api";
import { z } from "zod";
import { ManualClock } from "../support/manual_clock.ts";
import { until } from "../support/until.ts";
import { SlackPlatform } from "./slack_server.ts";

const BLOCKS = [{
  type: "rich_text",
  elements: [{ type: "rich_text_section", elements: [{ type: "text", text: "Hello" }] }],
}];

function platformAt(clock: ManualClock = new ManualClock()): SlackPlatform {
  const platform = SlackPlatform.start(clock);
  platform.addPerson("UALICE", "Alice");
  platform.addChannel("C0TEAM", "team");
  return platform;
}

function clientOf(platform: SlackPlatform): WebClient {
  return new WebClient(platform.botToken, {
    slackApiUrl: platform.apiUrl,
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    fetch: wholeAnswers,
    logger: quiet,
  });
}

/** Reads answers to their end, which the client leaves open where it is refused for its rate. */
async function wholeAnswers(...request: Parameters<typeof fetch>): Promise<Response> {
  const { status, headers, body } = await fetch(...request);
  return new Response(await new Response(body).text(), { status, headers });
}

const quiet = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  setLevel: () => {},
  getLevel: () => LogLevel.ERROR,
  setName: () => {},
};

Deno.test("The simulated Slack speaks to Slack's own web client", async () => {
  await using platform = platformAt();
  const client = clientOf(platform);
  const { user_id: userId } = await client.auth.test();
  assert.equal(userId, platform.botUserId);
  const metadata = { event_type: "part", event_payload: { key: "k" } };
  const { ts = "" } = await client.chat.postMessage({
    channel: "C0TEAM",
    text: "Hello",
    metadata,
  });
  await client.chat.update({ channel: "C0TEAM", ts, text: "Hello again", metadata });
  await client.reactions.add({ channel: "C0TEAM", timestamp: ts, name: "eyes" });
  const history = await client.conversations.history({
    channel: "C0TEAM",
    include_all_metadata: true,
  });
  assert.deepEqual(history.messages?.map(({ text, metadata }) => [text, metadata?.event_type]), [
    ["Hello again", "part"],
  ]);
  assert.equal(platform.seen("C0TEAM")[0]?.edits, 1);
});

Deno.test("The simulated Slack takes files as Slack's own web client sends them", async () => {
  await using platform = platformAt();
  await clientOf(platform).filesUploadV2({
    channel_id: "C0TEAM",
    file: Buffer.from("some bytes"),
    filename: "a.txt",
  });
  const [shown] = platform.seen("C0TEAM");
  assert.deepEqual(shown?.files.map(({ name, bytes }) => [name, new TextDecoder().decode(bytes)]), [
    ["a.txt", "some bytes"],
  ]);
});

Deno.test("The simulated Slack tells Slack's own web client of refusals and rates", async () => {
  await using platform = platformAt();
  const client = clientOf(platform);
  await assert.rejects(
    client.chat.postMessage({ channel: "C0NONE", text: "x" }),
    {
      code: "slack_webapi_platform_error",
      data: { ok: false, error: "channel_not_found", response_metadata: {} },
    },
  );
  await client.chat.postMessage({ channel: "C0TEAM", text: "one" });
  await assert.rejects(
    client.chat.postMessage({ channel: "C0TEAM", text: "two" }),
    { code: "slack_webapi_rate_limited_error", retryAfter: 1 },
  );
  assert.equal(platform.breaches.length, 1);
  platform.breaches.length = 0;
});

Deno.test("The simulated Slack hands events to Slack's own socket client", async () => {
  await using platform = platformAt();
  const client = new SocketModeClient({
    appToken: platform.appToken,
    clientOptions: { slackApiUrl: platform.apiUrl },
    autoReconnectEnabled: false,
    logger: quiet,
  });
  const heard: string[] = [];
  const said = z.object({
    ack: z.custom<() => Promise<void>>((value) => typeof value === "function"),
    event: z.object({ text: z.string() }),
  });
  client.on("message", async (payload: unknown) => {
    const { ack, event } = said.parse(payload);
    heard.push(event.text);
    await ack();
  });
  await client.start();
  const { told: [delivery] } = platform.says({ text: "hello" });
  await until(() => delivery?.isAcknowledged === true, { what: "an acknowledgement" });
  assert.deepEqual(heard, ["hello"]);
  await client.disconnect();
});

Deno.test("The simulated Slack repeats what nobody acknowledges, and then no more", async () => {
  const clock = new ManualClock();
  await using platform = platformAt(clock);
  const { told: [delivery] } = platform.says({ text: "hello" });
  await clock.advance(600_000);
  assert.equal(delivery?.attempts, 4);
});

Deno.test.each([
  ["blocks of no known shape", { blocks: [{ type: "rich_text", elements: [] }] }],
  ["too long a text", { text: "x".repeat(40_001) }],
])("The simulated Slack notes %s", async (_what, message) => {
  await using platform = platformAt();
  const response = await fetch(`${platform.apiUrl}chat.postMessage`, {
    method: "POST",
    headers: { authorization: `Bearer ${platform.botToken}` },
    body: new URLSearchParams({
      channel: "C0TEAM",
      text: "x",
      ...("text" in message ? message : { blocks: JSON.stringify(message.blocks) }),
    }),
  });
  assert.equal(z.object({ ok: z.boolean() }).parse(await response.json()).ok, false);
  assert.equal(platform.breaches.length, 1);
  platform.breaches.length = 0;
});

Deno.test("The simulated Slack shows what blocks look like", async () => {
  await using platform = platformAt();
  await fetch(`${platform.apiUrl}chat.postMessage`, {
    method: "POST",
    headers: { authorization: `Bearer ${platform.botToken}` },
    body: new URLSearchParams({
      channel: "C0TEAM",
      text: "Hello",
      blocks: JSON.stringify(BLOCKS),
    }),
  }).then((response) => response.text());
  assert.deepEqual(platform.seen("C0TEAM").map(({ text }) => text), ["Hello"]);
});
