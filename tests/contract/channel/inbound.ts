/**
 * What a channel does with what people write.
 * @module
 */

import assert from "node:assert/strict";
import { dirname } from "node:path";
import type { Contract } from "./contract.ts";

const BYTES = new TextEncoder().encode("some bytes of a file");

/** Long enough for a platform to have told, and for a channel to have handed in, everything. */
const QUIET_MS = 3_000;

/** Registers the tests. */
export function testInbound(contract: Contract): void {
  testMessages(contract);
  testPolicy(contract);
  testOnce(contract);
}

function testMessages(contract: Contract): void {
  contract.test("hands a text in with the platform's ids", async (running) => {
    const { platformId, chatId, senderId } = running.platform.userSays({ text: "hello there" });
    assert.deepEqual(await running.hasTexts(1), ["hello there"]);
    const [inbound] = running.gateway.inbounds;
    assert.partialDeepStrictEqual(inbound, { platformId, chatId, senderId, media: [] });
  });

  contract.test("hands messages in by their order", async (running) => {
    const texts = Array.from({ length: 20 }, (_, index) => `message ${index}`);
    for (const text of texts) running.platform.userSays({ text });
    assert.deepEqual(await running.hasTexts(20), texts);
  });

  contract.test("keeps what a file holds in its own folder", async (running) => {
    const { platform, gateway } = running;
    platform.userSays({ file: { name: "report.pdf", bytes: BYTES } });
    const [text = ""] = await running.hasTexts(1);
    const [path = "", ...more] = gateway.inbounds[0]?.media ?? [];
    assert.deepEqual(more, []);
    assert.equal(dirname(path), gateway.mediaFolder);
    assert.deepEqual(await Deno.readFile(path), BYTES);
    assert.match(text, /report\.pdf/);
  });

  contract.test("keeps a file with a hostile name in its own folder", async (running) => {
    const { platform, gateway } = running;
    platform.userSays({ file: { name: "../../../etc/passwd\u202Efdp.exe", bytes: BYTES } });
    await running.hasTexts(1);
    const [path = ""] = gateway.inbounds[0]?.media ?? [];
    assert.equal(dirname(path), gateway.mediaFolder);
    assert.doesNotMatch(path, /\u202E/);
    assert.deepEqual(await Deno.readFile(path), BYTES);
  });

  contract.test("hands a command in as it is", async (running) => {
    running.platform.userSays({ text: "/stop" });
    if (contract.channel.hasGroups === false) running.platform.userSays({ text: "/stop" });
    else running.platform.userSays({ text: "/stop", inGroup: true, mentionsBot: true });
    assert.deepEqual(await running.hasTexts(2), ["/stop", "/stop"]);
  });

  if (contract.channel.hasThreads === false) return;
  contract.test("keeps threads of a group apart", async (running) => {
    const { platform, gateway } = running;
    const asked = { inGroup: true, mentionsBot: true, text: "what is this?" };
    platform.userSays({ ...asked, thread: "one" });
    platform.userSays({ ...asked, thread: "two" });
    platform.userSays({ ...asked, thread: "one" });
    await running.hasTexts(3);
    const [one, two, again] = gateway.inbounds.map(({ sessionKey }) => sessionKey);
    assert.match(one ?? "", new RegExp(`^${contract.channel.name}:`));
    assert.equal(one, again);
    assert.notEqual(one, two);
    assert.equal(new Set(gateway.inbounds.map(({ chatId }) => chatId)).size, 1);
  });
}

function testPolicy(contract: Contract): void {
  if (contract.channel.hasGroups !== false) testGroups(contract);

  contract.test("touches nothing for a stranger", async (running) => {
    const { platform, gateway } = running;
    await running.letPass(QUIET_MS);
    const before = platform.effects;
    platform.userSays({ from: "stranger", text: "let me in" });
    platform.userSays({ from: "stranger", file: { name: "a.txt", bytes: BYTES } });
    platform.userSays({ from: "stranger", inGroup: true, mentionsBot: true, text: "and here?" });
    await running.letPass(QUIET_MS);
    assert.deepEqual(gateway.inbounds, []);
    assert.equal(platform.effects, before);
  });

  contract.test("hears nobody when its list is empty", async (running) => {
    running.platform.userSays({ text: "hello?" });
    await running.letPass(QUIET_MS);
    assert.deepEqual(running.gateway.inbounds, []);
  }, { allowFrom: "nobody" });

  contract.test("hears everybody when its list says so", async (running) => {
    running.platform.userSays({ from: "stranger", text: "hello" });
    assert.deepEqual(await running.hasTexts(1), ["hello"]);
  }, { allowFrom: "everybody" });
}

function testGroups(contract: Contract): void {
  contract.test("hears in a group only what mentions the bot", async (running) => {
    const { platform, gateway } = running;
    platform.userSays({ inGroup: true, text: "just talking" });
    const asked = platform.userSays({ inGroup: true, mentionsBot: true, text: "and you?" });
    const [text = ""] = await running.hasTexts(1);
    assert.match(text, /and you\?$/);
    assert.deepEqual(gateway.inbounds.map(({ chatId }) => chatId), [asked.chatId]);
    await running.letPass(QUIET_MS);
    assert.equal(gateway.inbounds.length, 1);
  });

  if (contract.channel.hearsGroups === false) return;
  contract.test("hears everything in a group under the open policy", async (running) => {
    running.platform.userSays({ inGroup: true, text: "just talking" });
    const [text = ""] = await running.hasTexts(1);
    assert.match(text, /just talking$/);
  }, { groupPolicy: "open" });
}

function testOnce(contract: Contract): void {
  contract.test("hands a repeated message in once", async (running) => {
    const { platform, gateway } = running;
    const said = platform.userSays({ text: "hello" });
    await running.hasTexts(1);
    platform.repeat(said);
    platform.userSays({ text: "bye" });
    await running.hasTexts(2);
    await running.letPass(QUIET_MS);
    assert.deepEqual(gateway.inbounds.map(({ content }) => content), ["hello", "bye"]);
  });

  contract.test("hands a message in again that the gateway could not take", async (running) => {
    const { platform, gateway } = running;
    gateway.answers.push("refused");
    const said = platform.userSays({ text: "hello" });
    assert.deepEqual(await running.hasTexts(1), ["hello"]);
    assert.equal(gateway.inbounds[0]?.platformId, said.platformId);
  });

  contract.test("hands a message in although its Worker died before it was durable", async (running) => {
    const { platform, gateway } = running;
    const gate = Promise.withResolvers<void>();
    gateway.gate = gate.promise;
    gateway.answers.push("refused"); // what the dead Worker had asked for
    platform.userSays({ text: "hello" });
    await running.passUntil(() => gateway.handIns > 0, "a hand-in");
    const restarting = running.restart();
    gateway.gate = Promise.resolve();
    gate.resolve();
    await restarting;
    assert.deepEqual(await running.hasTexts(1), ["hello"]);
  });
}
