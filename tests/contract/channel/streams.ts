/**
 * Answers that grow under the reader's eyes.
 * @module
 */

import assert from "node:assert/strict";
import type { Contract } from "./contract.ts";
import { wordsOf } from "./outbound.ts";

const KEY = "turn-1:0";

/** Registers the tests. */
export function testStreams(contract: Contract): void {
  const { aliceChatId } = contract.channel;

  contract.test("lets an answer grow and ends it with the whole text", async (running) => {
    const { platform } = running;
    const texts = ["Once", "Once upon", "Once upon a **time**", "Once upon a **time** there"];
    for (const text of texts) await running.show({ key: KEY, phase: "growing", text });
    const ids = await running.show({ key: KEY, text: "Once upon a **time** there was an end." });
    const shown = platform.shown(aliceChatId);
    const ends = shown.map(({ text }) => text);
    assert.deepEqual(ends, ["Once upon a time there was an end."]);
    assert.deepEqual(shown.map(({ id }) => id), ids);
  });

  if (contract.channel.hasGroups !== false) testRate(contract);

  contract.test("lets an answer grow past what one message holds", async (running) => {
    const words = Array.from({ length: 5_000 }, (_, index) => `word${index}`);
    for (const share of [0.02, 0.3, 0.6, 0.9]) {
      const text = words.slice(0, words.length * share).join(" ");
      await running.show({ key: KEY, phase: "growing", text });
    }
    await running.show({ key: KEY, text: words.join(" ") });
    assert.deepEqual(wordsOf(running.platform.shown(aliceChatId)), words);
  });

  contract.test("shows long code that grows as code in every part", async (running) => {
    const lines = Array.from({ length: 500 }, (_, index) => `  call_${index}(<a>, "b");`);
    const whole = `See:\n\n\`\`\`js\n${lines.join("\n")}\n\`\`\``;
    for (const share of [0.05, 0.4, 0.7]) {
      const text = whole.slice(0, Math.floor(whole.length * share));
      await running.show({ key: KEY, phase: "growing", text });
    }
    await running.show({ key: KEY, text: whole });
    const code = running.platform.shown(aliceChatId).flatMap((message) => message.code);
    assert.deepEqual(code.flatMap((block) => block.split("\n")), lines);
  });

  contract.test("completes an answer that another Worker let grow", async (running) => {
    await running.show({ key: KEY, phase: "growing", text: "Half an" });
    await running.show({ key: KEY, phase: "growing", text: "Half an ans" });
    await running.restart();
    const ids = await running.show({ key: KEY, text: "Half an answer made whole" });
    const shown = running.platform.shown(aliceChatId);
    assert.deepEqual(shown.map(({ text }) => text), ["Half an answer made whole"]);
    assert.deepEqual(shown.map(({ id }) => id), ids);
  });

  contract.test("loses nothing when the first sight of an answer fails", async (running) => {
    running.platform.failNext("busy");
    await running.deliver({ key: KEY, phase: "growing", text: "Hel" });
    await running.showAtLast({ key: KEY, text: "Hello" });
    assert.deepEqual(running.platform.shown(aliceChatId).map(({ text }) => text), ["Hello"]);
  });

  contract.test("takes back what grew when there is no answer in the end", async (running) => {
    await running.show({ key: KEY, phase: "growing", text: "Let me think" });
    await running.show({ key: KEY, text: "" });
    assert.deepEqual(running.platform.shown(aliceChatId), []);
  });

  contract.test("sends an answer once, whole, when it must not grow", async (running) => {
    await running.show({ key: KEY, phase: "growing", text: "Hel" });
    assert.deepEqual(running.platform.shown(aliceChatId), []);
    await running.show({ key: KEY, text: "Hello" });
    const shown = running.platform.shown(aliceChatId);
    assert.deepEqual(shown.map(({ text, edits }) => [text, edits]), [["Hello", 0]]);
  }, { streaming: false });
}

function testRate(contract: Contract): void {
  const { aliceChatId } = contract.channel;

  contract.test("keeps to the platform's rate while many answers grow", async (running) => {
    const chats = [aliceChatId, running.platform.userSays({ inGroup: true, text: "x" }).chatId];
    for (let piece = 1; piece <= 15; piece++) {
      const text = Array.from({ length: piece }, (_, index) => `piece${index}`).join(" ");
      await Promise.all(
        chats.map((chatId) => running.show({ key: `${chatId}:0`, chatId, phase: "growing", text })),
      );
    }
    await Promise.all(
      chats.map((chatId) => running.show({ key: `${chatId}:0`, chatId, text: "whole" })),
    );
    for (const chatId of chats) {
      assert.deepEqual(running.platform.shown(chatId).map(({ text }) => text), ["whole"]);
    }
  });
}
