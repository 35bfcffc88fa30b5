import assert from "node:assert/strict";
import { ChannelDesk, type ChannelRequest } from "../../../actors/gateway/channel_desk.ts";
import type { OutboxControl } from "../../../actors/gateway/outbox.ts";
import type { RouterMessage } from "../../../actors/gateway/router.ts";
import { MemoryJournal } from "../../../actors/journal/memory_journal.ts";
import { nextTurn } from "../../../actors/kernel/adapters/event_loop.ts";
import type { JsonValue } from "../../../actors/kernel/json.ts";
import type { ReplyTo } from "../../../actors/kernel/ref.ts";
import type {
  ChannelInbound,
  HandInResult,
  InboundContents,
  Transcription,
} from "../../../channels/channel.ts";
import { ManualClock } from "../../support/manual_clock.ts";
import { Probe } from "../../support/probe.ts";

const MESSAGE: ChannelInbound = {
  platformId: "om_1",
  chatId: "oc_1",
  senderId: "ou_1",
  content: "hello",
  media: [],
  context: { message_id: "om_1" },
};
const DRAFT: ChannelInbound = { ...MESSAGE, content: "", draft: { type: "image" } };

class Counter {
  readonly journal = new MemoryJournal({ clock: new ManualClock(), defer: nextTurn });
  readonly router = new Probe<RouterMessage>();
  readonly desk: ChannelDesk;

  constructor(transcribe?: (path: string) => Promise<Transcription>) {
    this.desk = new ChannelDesk({
      name: "feishu",
      journal: this.journal,
      router: this.router,
      outbox: new Probe<OutboxControl>(),
      isUnified: false,
      transcribe,
      pipe: (work, done) => {
        work(new AbortController().signal).then(
          (value) => done({ state: "ok", value }),
          (error) => done({ state: "failed", error }),
        );
      },
    });
  }

  ask<Answer>(makeRequest: (replyTo: ReplyTo<Answer>) => ChannelRequest): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    this.desk.receive(makeRequest({ reply: resolve, refuse: reject }));
    return promise;
  }

  handIn(inbound: ChannelInbound): Promise<HandInResult> {
    return this.ask((replyTo) => ({ type: "hand_in", inbound, wantsStream: true, replyTo }));
  }

  complete(platformId: string, contents: InboundContents): Promise<"completed"> {
    return this.ask((replyTo) => ({ type: "complete_inbound", platformId, contents, replyTo }));
  }

  withdraw(platformId: string): Promise<"withdrawn"> {
    return this.ask((replyTo) => ({ type: "withdraw_inbound", platformId, replyTo }));
  }

  /** Kinds of what the router was told, with the content. */
  get told(): string[] {
    return this.router.received.map((message) =>
      "inbound" in message ? `${message.type} ${message.inbound.content}` : message.type
    );
  }
}

Deno.test("ChannelDesk tells the router of a message once", async () => {
  const counter = new Counter();
  assert.equal(await counter.handIn(MESSAGE), "accepted");
  assert.equal(await counter.handIn(MESSAGE), "duplicate");
  assert.deepEqual(counter.told, ["inbound_accepted hello"]);
});

Deno.test("ChannelDesk tells the router of a draft only when it is complete", async () => {
  const counter = new Counter();
  assert.equal(await counter.handIn(DRAFT), "accepted");
  assert.deepEqual(counter.told, []);
  assert.equal(
    await counter.complete("om_1", { content: "a cat", media: ["/m/cat.png"] }),
    "completed",
  );
  assert.equal(await counter.complete("om_1", { content: "again", media: [] }), "completed");
  assert.deepEqual(counter.told, ["inbound_accepted a cat"]);
});

Deno.test("ChannelDesk gives a channel the drafts that it left", async () => {
  const counter = new Counter();
  await counter.handIn(MESSAGE);
  await counter.handIn({ ...DRAFT, platformId: "om_2" });
  const drafts = await counter.ask<readonly ChannelInbound[]>((replyTo) => ({
    type: "list_drafts",
    replyTo,
  }));
  assert.deepEqual(drafts, [{ ...DRAFT, platformId: "om_2", sessionKey: "feishu:oc_1" }]);
});

Deno.test("ChannelDesk has a message withdrawn that still waits, and no other", async () => {
  const counter = new Counter();
  await counter.handIn(MESSAGE);
  await counter.withdraw("om_1");
  await counter.withdraw("om_unknown");
  await counter.journal.withdraw(1);
  await counter.withdraw("om_1");
  assert.deepEqual(counter.told, ["inbound_accepted hello", "inbound_withdrawn hello"]);
});

Deno.test("ChannelDesk refuses messages once the gateway stops, and completes drafts quietly", async () => {
  const counter = new Counter();
  await counter.handIn(DRAFT);
  counter.desk.stopIntake();
  assert.equal(await counter.handIn({ ...MESSAGE, platformId: "om_2" }), "refused");
  await counter.complete("om_1", { content: "late", media: [] });
  assert.deepEqual(counter.told, []);
  assert.equal((await counter.journal.inbound("feishu", "om_1"))?.content, "late");
});

Deno.test("ChannelDesk refuses what the journal cannot keep", async () => {
  const counter = new Counter();
  await counter.handIn(DRAFT);
  await counter.journal[Symbol.asyncDispose]();
  assert.equal(await counter.handIn({ ...MESSAGE, platformId: "om_2" }), "refused");
  await assert.rejects(counter.complete("om_1", { content: "x", media: [] }), {
    code: "journal_closed",
  });
});

Deno.test("ChannelDesk says that nobody writes speech down, or passes on what was said", async () => {
  const ask = (counter: Counter) =>
    counter.ask<Transcription>((replyTo) => ({ type: "transcribe", path: "/m/a.ogg", replyTo }));
  assert.deepEqual(await ask(new Counter()), { state: "off" });
  const spoken = new Counter((path) => Promise.resolve({ state: "transcribed", text: path }));
  assert.deepEqual(await ask(spoken), { state: "transcribed", text: "/m/a.ogg" });
});

Deno.test("ChannelDesk keeps how far a channel has read", async () => {
  const counter = new Counter();
  const read = () => counter.ask<JsonValue>((replyTo) => ({ type: "read_cursor", replyTo }));
  assert.equal(await read(), null);
  const kept = await counter.ask<"remembered">((replyTo) => ({
    type: "keep_cursor",
    cursor: { sequence: 7 },
    replyTo,
  }));
  assert.equal(kept, "remembered");
  assert.deepEqual(await read(), { sequence: 7 });
});

Deno.test("ChannelDesk keeps nothing of a word on the way, which has no row", async () => {
  const counter = new Counter();
  const kept = await counter.ask<"remembered">((replyTo) => ({
    ...{ type: "remember", key: "progress:1", channelState: { tried: true }, keeping: "synced" },
    replyTo,
  }));
  assert.equal(kept, "remembered");
  assert.equal(counter.journal.trouble, null);
});
