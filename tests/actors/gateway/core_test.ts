import assert from "node:assert/strict";
import { type Core, startCore } from "../../../actors/gateway/core.ts";
import type { ChannelReport } from "../../../actors/gateway/channel_protocol.ts";
import { MemoryJournal } from "../../../actors/journal/memory_journal.ts";
import type { ActorRef } from "../../../actors/kernel/ref.ts";
import type { SessionMessage } from "../../../actors/session/ports.ts";
import type { FromChannel, ToChannel } from "../../../channels/host_protocol.ts";
import { acting } from "../../support/acting.ts";
import { newOutbound } from "../../support/outbound.ts";
import { testSystem } from "../../support/system.ts";
import { settle } from "../../support/until.ts";

/** A core with one channel, whose messages to and from it the test sees and makes. */
function setUp({ idempotencyMs = 0 } = {}) {
  const home = testSystem();
  const journal = new MemoryJournal({ clock: home.clock, defer: queueMicrotask });
  const toChannel: ToChannel[] = [];
  const gateways: ActorRef<FromChannel>[] = [];
  const toSessions: SessionMessage[] = [];
  const core: Core = startCore({
    system: home.system,
    journal,
    permitsMax: 1,
    isUnified: false,
    progress: { sendProgress: true, sendToolHints: false },
    sendAttemptsMax: 3,
    startSession: (spawn) =>
      spawn(acting<SessionMessage>((message) => void toSessions.push(message))),
    channels: [{
      name: "feishu",
      idempotencyMs,
      startHost: (spawn, gateway) => {
        gateways.push(gateway);
        return spawn(acting<ToChannel>((message) => void toChannel.push(message)));
      },
    }],
  });
  const [channel] = core.startChannels().values();
  core.recover();
  const gateway = gateways[0];
  assert.ok(channel && gateway);
  const breakChannelActor = async () => {
    const reply = () => {
      throw new Error("as planned");
    };
    const replyTo = { reply, refuse: reply };
    channel.tell({ type: "report_channel", replyTo });
    await home.clock.advance(1_000);
  };
  return { home, journal, core, channel, gateway, toChannel, toSessions, breakChannelActor };
}

const READY = { type: "connection_changed", isStreaming: false } as const;

Deno.test("Core takes a delivery that nobody answered for one that may have arrived", async () => {
  const { home, journal, core, gateway, toChannel, breakChannelActor } = setUp();
  await using _ = home;
  gateway.tell({ ...READY, connection: { state: "ready", detail: "" } });
  const [row] = await journal.commit({ outbounds: [newOutbound({ key: "a" })] });
  assert.ok(row);
  core.outboxes.get("feishu")?.tell({ type: "row_committed", row });
  await settle();
  await settle();
  assert.equal(toChannel.length, 1);
  await breakChannelActor();
  assert.equal((await journal.outbound("a"))?.state, "unknown");
});

Deno.test("Core tells a channel that is there which of its messages wait", async () => {
  const { home, core, gateway, toChannel } = setUp();
  await using _ = home;
  const outbox = core.outboxes.get("feishu");
  outbox?.tell({ type: "inbound_waits", platformId: "om_0", isWaiting: true });
  await settle();
  gateway.tell({ ...READY, connection: { state: "ready", detail: "" } });
  outbox?.tell({ type: "inbound_waits", platformId: "om_1", isWaiting: true });
  await settle();
  await settle();
  outbox?.tell({ type: "inbound_waits", platformId: "om_1", isWaiting: false });
  await settle();
  await settle();
  const notes = toChannel.flatMap((message) => message.type === "note_waiting" ? [message] : []);
  assert.deepEqual(notes, [{ type: "note_waiting", platformId: "om_1", isWaiting: false }]);
});

Deno.test("Core finds what a channel's actor accepted last before it failed", async () => {
  const { home, journal, channel, toSessions, breakChannelActor } = setUp();
  await using _ = home;
  await settle();
  await journal.accept({
    channel: "feishu",
    platformId: "om_1",
    sessionKey: "feishu:oc_1",
    chatId: "oc_1",
    senderId: "ou_1",
    content: "hi",
    media: [],
    context: {},
    wantsStream: false,
  });
  await settle();
  assert.deepEqual(toSessions, []);
  await breakChannelActor();
  assert.deepEqual(toSessions, [{ type: "wake" }]);
  const report = await channel.ask<ChannelReport>(
    (replyTo) => ({ type: "report_channel", replyTo }),
    { timeoutMs: 1_000 },
  );
  assert.equal(report.name, "feishu");
});
