/**
 * Answers as buttons: what a press means, and when they go.
 * @module
 */

import assert from "node:assert/strict";
import type { ChannelInbound } from "../../../channels/channel.ts";
import type { Contract } from "./contract.ts";
import type { RunningChannel } from "./running.ts";

const KEY = "turn-1:question";
const CHOICES = [
  { label: "Approve", says: "/approve k7f3q9" },
  { label: "Deny", says: "/deny k7f3q9" },
];
const QUESTION = { key: KEY, text: "May I run **rm -r old**?", choices: CHOICES };
/** Time for a press that must mean nothing. */
const QUIET_MS = 3_000;

/** Registers the tests; none for a channel whose platform has no buttons. */
export function testChoices(contract: Contract): void {
  if (!contract.channel.hasButtons) return;
  testPresses(contract);
  testEnds(contract);
}

function testPresses(contract: Contract): void {
  const { aliceChatId } = contract.channel;

  contract.test("offers answers as buttons, and a press says one of them", async (running) => {
    const asked = await askAlice(running);
    assert.deepEqual(running.platform.buttons(aliceChatId), ["Approve", "Deny"]);
    running.platform.press(aliceChatId, "Deny");
    const [, pressed] = await inbounds(running, 2);
    assert.equal(pressed?.content, "/deny k7f3q9");
    assert.deepEqual(placeOf(pressed), placeOf(asked));
    assert.deepEqual(pressed?.media, []);
  });

  if (contract.channel.hasThreads !== false) testThreadPress(contract);

  contract.test("takes one press a person and question", async (running) => {
    await askAlice(running);
    const { platform } = running;
    platform.press(aliceChatId, "Deny");
    await inbounds(running, 2);
    platform.press(aliceChatId, "Deny");
    platform.press(aliceChatId, "Approve");
    await running.letPass(QUIET_MS);
    assert.deepEqual(running.texts, ["clean up", "/deny k7f3q9"]);
  });

  contract.test("takes no press of a stranger", async (running) => {
    await askAlice(running);
    running.platform.press(aliceChatId, "Approve", "stranger");
    await running.letPass(QUIET_MS);
    assert.deepEqual(running.texts, ["clean up"]);
  });

  contract.test("takes a press, or another one, after the gateway could not", async (running) => {
    await askAlice(running);
    running.gateway.answers.push("refused");
    running.platform.press(aliceChatId, "Approve");
    await running.letPass(QUIET_MS);
    if (running.texts.length < 2) running.platform.press(aliceChatId, "Approve");
    await inbounds(running, 2);
    assert.deepEqual(running.texts, ["clean up", "/approve k7f3q9"]);
  });
}

function testThreadPress(contract: Contract): void {
  contract.test("takes a press in a thread for the thread's session", async (running) => {
    const { platform } = running;
    platform.userSays({ text: "clean up", inGroup: true, mentionsBot: true, thread: "cleaning" });
    const [asked] = await inbounds(running, 1);
    if (asked === undefined) throw new Error("Cannot ask: nothing was said");
    const { chatId, context, senderId } = asked;
    await running.show({ ...QUESTION, chatId, context });
    platform.press(chatId, "Approve");
    const [, pressed] = await inbounds(running, 2);
    assert.equal(pressed?.senderId, senderId);
    assert.deepEqual(placeOf(pressed), placeOf(asked));
    assert.notEqual(pressed?.sessionKey, undefined);
  });
}

function testEnds(contract: Contract): void {
  const { aliceChatId } = contract.channel;

  contract.test("takes buttons away when it is decided, and says how", async (running) => {
    await askAlice(running);
    await running.show({ key: "turn-1:end", text: "Denied: I leave it.", closes: KEY });
    assert.deepEqual(running.platform.buttons(aliceChatId), []);
    const decided = running.platform.shown(aliceChatId).find(({ edits }) => edits > 0);
    assert.match(decided?.text ?? "", /Denied: I leave it\.$/);
    await running.show({ key: "turn-1:again", text: "Denied.", closes: KEY });
  });

  contract.test("puts buttons below an answer that grew", async (running) => {
    await running.show({ ...QUESTION, text: "May I run", phase: "growing", choices: [] });
    await running.show(QUESTION);
    assert.deepEqual(running.platform.buttons(aliceChatId), ["Approve", "Deny"]);
    await running.show({ key: "turn-1:end", text: "Approved.", closes: KEY });
    assert.deepEqual(running.platform.buttons(aliceChatId), []);
  });

  contract.test("asks without buttons what does not fit into them", async (running) => {
    const choices = [{ label: "Approve", says: `/approve ${"x".repeat(20_000)}` }];
    await running.show({ ...QUESTION, choices });
    const { platform } = running;
    assert.match(platform.shown(aliceChatId)[0]?.text ?? "", /^May I run rm -r old\?$/);
    if (platform.buttons(aliceChatId).length > 0) platform.press(aliceChatId, "Approve");
  });

  contract.test("takes a press although its Worker died after it asked", async (running) => {
    await askAlice(running);
    await running.restart();
    running.platform.press(aliceChatId, "Approve");
    await inbounds(running, 2);
    assert.deepEqual(running.texts, ["clean up", "/approve k7f3q9"]);
    await running.show({ key: "turn-1:end", text: "Approved.", closes: KEY });
  });
}

/** Alice says something, and is asked where she said it. */
async function askAlice(running: RunningChannel): Promise<ChannelInbound> {
  running.platform.userSays({ text: "clean up" });
  const [asked] = await inbounds(running, 1);
  if (asked === undefined) throw new Error("Cannot ask: nothing was said");
  await running.show({ ...QUESTION, chatId: asked.chatId, context: asked.context });
  return asked;
}

async function inbounds(
  running: RunningChannel,
  count: number,
): Promise<readonly ChannelInbound[]> {
  await running.hasTexts(count);
  return running.gateway.inbounds;
}

function placeOf(inbound: ChannelInbound | undefined): readonly (string | undefined)[] {
  return [inbound?.chatId, inbound?.senderId, inbound?.sessionKey];
}
