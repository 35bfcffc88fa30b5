import assert from "node:assert/strict";
import type { Settled } from "../../../channels/channel.ts";
import type { SimMessage } from "../../simulators/discord_server.ts";
import { Harness } from "./harness.ts";

const EMOJI = { readReceiptEmoji: "👀", workingEmoji: "🔧" };

function emojiOn(message: SimMessage): string[] {
  return [...message.reactions.keys()];
}

function settled({ gateway }: Harness, platformId: string): Settled {
  const channelState = gateway.inboundMemory.get(platformId) ?? null;
  return { platformId, outcome: "done", channelState };
}

Deno.test("Discord shows that it read, then that it works, and clears both at the end", async () => {
  await using harness = await Harness.ready({ section: EMOJI });
  const said = harness.says("hello");
  await harness.passUntil(() => emojiOn(said).join() === "👀", "the receipt");
  const readAtMs = harness.clock.now();
  await harness.passUntil(() => emojiOn(said).join() === "👀,🔧", "the wrench");
  assert.ok(harness.clock.now() - readAtMs >= 1_500);
  await harness.deliver({ key: "t:0", text: "hi", settles: [settled(harness, said.id)] });
  assert.deepEqual(emojiOn(said), []);
});

Deno.test("Discord keeps the signs of two messages of one channel apart", async () => {
  await using harness = await Harness.ready({ section: EMOJI });
  const one = harness.says("one");
  const two = harness.says("two");
  await harness.passUntil(
    () => emojiOn(one).length === 2 && emojiOn(two).length === 2,
    "all signs",
  );
  await harness.deliver({ key: "t:0", text: "hi", settles: [settled(harness, one.id)] });
  assert.deepEqual([emojiOn(one), emojiOn(two)], [[], ["👀", "🔧"]]);
  await harness.deliver({ key: "t:1", text: "ho", settles: [settled(harness, two.id)] });
  assert.deepEqual(emojiOn(two), []);
});

Deno.test("Discord clears after a restart what it put on before", async () => {
  await using harness = await Harness.ready({ section: EMOJI });
  const said = harness.says("hello");
  await harness.passUntil(() => emojiOn(said).length === 2, "all signs");
  await harness.restart();
  await harness.deliver({ key: "t:0", text: "hi", settles: [settled(harness, said.id)] });
  assert.deepEqual(emojiOn(said), []);
});

Deno.test("Discord clears also when the answer cannot be shown", async () => {
  await using harness = await Harness.ready({ section: EMOJI });
  const said = harness.says("hello");
  await harness.passUntil(() => emojiOn(said).length === 2, "all signs");
  harness.platform.faults.plant("message.create", { kind: "code", status: 403, code: 50013 });
  const settles = [settled(harness, said.id)];
  await assert.rejects(harness.deliver({ key: "t:0", text: "hi", settles }));
  assert.deepEqual(emojiOn(said), []);
});

Deno.test("Discord says that it writes until the answer is there", async () => {
  await using harness = await Harness.ready();
  const said = harness.says("hello");
  await harness.texts(1);
  await harness.letPass(20_000);
  const times = harness.platform.typing.map(({ atMs }) => atMs);
  assert.ok(times.length >= 3, `${times.length}`);
  await harness.deliver({ key: "t:0", text: "hi", settles: [settled(harness, said.id)] });
  const before = harness.platform.typing.length;
  await harness.letPass(20_000);
  assert.equal(harness.platform.typing.length, before);
});

Deno.test("Discord shows that a message waits, and neither works nor writes meanwhile", async () => {
  await using harness = await Harness.ready({ section: { ...EMOJI, queuedEmoji: "⏳" } });
  const said = harness.says("hello");
  await harness.texts(1);
  harness.channel.noteWaiting?.(said.id, true);
  await harness.passUntil(() => emojiOn(said).join() === "⏳", "the hourglass");
  const before = harness.platform.typing.length;
  await harness.letPass(20_000);
  assert.deepEqual([emojiOn(said), harness.platform.typing.length], [["⏳"], before]);
  harness.channel.noteWaiting?.(said.id, false);
  await harness.passUntil(
    () => emojiOn(said).includes("👀") && emojiOn(said).includes("🔧"),
    "work",
  );
  assert.equal(emojiOn(said).includes("⏳"), false);
});

Deno.test("Discord tries an emoji that is not there once", async () => {
  await using harness = await Harness.ready({ section: { readReceiptEmoji: "nonsense" } });
  harness.says("one");
  await harness.passUntil(() => harness.platform.calls("reaction.add").length === 1, "a try");
  await harness.letPass(500);
  harness.says("two");
  await harness.texts(2);
  await harness.letPass(500);
  assert.equal(harness.platform.calls("reaction.add").length, 1);
});
