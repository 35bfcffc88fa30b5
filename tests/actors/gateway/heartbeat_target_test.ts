import assert from "node:assert/strict";
import { HeartbeatTargets } from "../../../actors/gateway/heartbeat_target.ts";
import { ownerCheck } from "../../../actors/gateway/rights/owner_check.ts";
import { MemoryJournal } from "../../../actors/journal/memory_journal.ts";
import { type NewInbound, SYSTEM_CHANNEL } from "../../../actors/journal/journal.ts";
import { nextTurn } from "../../../actors/kernel/adapters/event_loop.ts";
import { ManualClock } from "../../support/manual_clock.ts";

function isOn(name: string): boolean {
  return name !== "off";
}
const CONTEXT = { ts: "1.2", thread_ts: "1.0" };

/** What is found after these messages, in a process that saw them and in the next one. */
async function found(
  messages: readonly Partial<NewInbound>[],
  { owners = [], configured = null }: { owners?: string[]; configured?: string | null } = {},
): Promise<string | null> {
  const journal = new MemoryJournal({ clock: new ManualClock(0), defer: nextTurn });
  const options = { journal, configured, isUnified: false, isOwner: ownerCheck(owners) };
  const targets = new HeartbeatTargets(options);
  for (const [index, message] of messages.entries()) {
    const accepted = await journal.accept({
      ...{ channel: "chat", chatId: "1", sessionKey: "chat:1", senderId: "anna" },
      ...{ platformId: `${index}`, content: "hi", media: [], context: CONTEXT, wantsStream: false },
      ...message,
    });
    if (accepted.state === "accepted") targets.saw(accepted.inbound);
  }
  await journal.sync();
  const target = await targets.find(isOn);
  assert.deepEqual(await new HeartbeatTargets(options).find(isOn), target);
  if (target === null) return null;
  const { channel, chatId, sessionKey, context } = target;
  const conversation = sessionKey === `${channel}:${chatId}` ? "" : ` (${sessionKey})`;
  return `${channel}:${chatId}${"ts" in context ? " in its thread" : ""}${conversation}`;
}

const UNIFIED = { sessionKey: "unified:default" };

Deno.test.each<[string, Partial<NewInbound>[], string | null]>([
  ["nobody", [], null],
  ["a person in a chat", [{}], "chat:1"],
  ["the person who was last", [{}, { chatId: "2", sessionKey: "chat:2" }], "chat:2"],
  ["a person in a unified conversation", [UNIFIED], "chat:1 (unified:default)"],
  [
    "a person in a thread",
    [{ sessionKey: "chat:1:thread:9" }],
    "chat:1 in its thread (chat:1:thread:9)",
  ],
  ["a job and a terminal after a person", [
    {},
    { channel: SYSTEM_CHANNEL, chatId: "9", platformId: "cron:a:1" },
    { channel: "cli", chatId: "direct" },
  ], "chat:1"],
  ["a channel that is off", [{ channel: "off" }], null],
])("The heartbeat tells %s", async (_who, messages, expected) => {
  assert.equal(await found(messages), expected);
});

Deno.test("The heartbeat tells owners, where there are owners", async () => {
  const messages = [{ senderId: "anna" }, { senderId: "eve", chatId: "2", sessionKey: "chat:2" }];
  assert.equal(await found(messages, { owners: ["chat:anna"] }), "chat:1");
  assert.equal(await found(messages, { configured: "chat:7" }), "chat:7");
});
