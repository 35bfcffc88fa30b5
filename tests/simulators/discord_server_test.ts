import assert from "node:assert/strict";
import { REST } from "@discordjs/rest";
import { WebSocketManager, WebSocketShardEvents } from "@discordjs/ws";
import { z } from "zod";
import { ManualClock } from "../support/manual_clock.ts";
import { DiscordPlatform } from "./discord_server.ts";

/** Servers, messages there and in direct chats, and what they say. */
const INTENTS: number = 37_377;

/** What the official library makes of the platform. */
class OfficialBot implements AsyncDisposable {
  readonly platform: DiscordPlatform = new DiscordPlatform(new ManualClock());
  readonly rest: REST;
  readonly manager: WebSocketManager;
  readonly events: string[] = [];

  constructor() {
    const { apiBase: api, token } = this.platform;
    const sweepers = { hashSweepInterval: 0, handlerSweepInterval: 0 };
    this.rest = new REST({ version: "10", api, retries: 0, ...sweepers }).setToken(token);
    this.manager = new WebSocketManager({ token, intents: INTENTS, rest: this.rest });
    this.manager.on(WebSocketShardEvents.Dispatch, ({ t }) => void this.events.push(t));
    this.manager.on(WebSocketShardEvents.Error, () => {});
    this.manager.on(WebSocketShardEvents.SocketError, () => {});
  }

  heard(type: string): Promise<true> {
    return this.platform.waitFor(() => this.events.includes(type), { what: type });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.manager.destroy();
    await this.platform[Symbol.asyncDispose]();
  }
}

const idSchema = z.object({ id: z.string() });

Deno.test("The official library connects, hears messages and is told of servers", async () => {
  await using bot = new OfficialBot();
  const alice = bot.platform.addPerson("alice");
  await bot.manager.connect();
  bot.platform.userSays({ author: alice, channel: bot.platform.direct(alice), text: "hi" });
  await bot.heard("MESSAGE_CREATE");
  assert.deepEqual(bot.events, ["READY", "GUILD_CREATE", "MESSAGE_CREATE"]);
});

Deno.test("The official library resumes a session, and hears what it missed", async () => {
  await using bot = new OfficialBot();
  const alice = bot.platform.addPerson("alice");
  await bot.manager.connect();
  bot.platform.openConnections[0]?.close(4000);
  await bot.platform.waitFor(() => bot.platform.openConnections.length === 0);
  bot.platform.userSays({ author: alice, channel: bot.platform.direct(alice), text: "hi" });
  await bot.heard("RESUMED");
  assert.deepEqual(bot.events.slice(2), ["MESSAGE_CREATE", "RESUMED"]);
});

Deno.test("The official library sends, edits and reacts, with files and without", async () => {
  await using bot = new OfficialBot();
  const { platform, rest } = bot;
  const channel = platform.addChannel("team");
  const path = `/channels/${channel.id}/messages` as const;
  const allowed_mentions = { parse: [] };
  const sent = idSchema.parse(
    await rest.post(path, { body: { content: "Hello", allowed_mentions } }),
  );
  await rest.patch(`${path}/${sent.id}`, { body: { content: "Hello!", allowed_mentions } });
  await rest.put(`${path}/${sent.id}/reactions/${encodeURIComponent("👀")}/@me`);
  await rest.post(path, {
    body: { allowed_mentions },
    files: [{ name: "a.txt", data: new TextEncoder().encode("text") }],
  });
  const shown = platform.world.messagesIn(channel.id);
  assert.deepEqual(shown.map(({ texts, files }) => [texts.at(-1), files.map(({ name }) => name)]), [
    ["Hello!", []],
    ["", ["a.txt"]],
  ]);
  assert.deepEqual([...shown[0]?.reactions.keys() ?? []], ["👀"]);
});

Deno.test("The official library understands refusals", async () => {
  await using bot = new OfficialBot();
  const { platform, rest } = bot;
  const path = `/channels/${platform.addChannel("team").id}/messages` as const;
  const body = { content: "x".repeat(2_001), allowed_mentions: { parse: [] } };
  await assert.rejects(rest.post(path, { body }), { code: 50035, status: 400 });
  await assert.rejects(rest.get("/channels/1/messages"), { code: 10003, status: 404 });
});

Deno.test("The platform fails the test of those who overstep its rates", async () => {
  const platform = new DiscordPlatform(new ManualClock());
  const { id } = platform.addChannel("team");
  for (let call = 0; call < 6; call++) {
    const response = await fetch(`${platform.apiBase}/v10/channels/${id}/messages`, {
      method: "POST",
      headers: {
        authorization: `Bot ${platform.token}`,
        "user-agent": "DiscordBot (test, 1)",
        "content-type": "application/json",
      },
      body: JSON.stringify({ content: "x", allowed_mentions: { parse: [] } }),
    });
    await response.body?.cancel();
    assert.equal(response.status, call < 5 ? 200 : 429);
  }
  await assert.rejects(async () => await platform[Symbol.asyncDispose](), /overstepped/);
});
