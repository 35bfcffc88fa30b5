import assert from "node:assert/strict";
import { getLogger } from "@logtape/logtape";
import type { ChannelInbound, HandInResult } from "../../channels/channel.ts";
import { TakenOnce, tryHandIn } from "../../channels/handing_in.ts";

const logger = getLogger(["troupe", "test"]);
const INBOUND: ChannelInbound = {
  platformId: "m1",
  chatId: "c1",
  senderId: "u1",
  content: "hello",
  media: [],
  context: {},
};

Deno.test("A message that the gateway fails to take counts as refused", async () => {
  const taking = (): Promise<HandInResult> => Promise.reject(new Error("the disk is full"));
  assert.equal(await tryHandIn(taking, INBOUND, logger), "refused");
  assert.equal(await tryHandIn(() => Promise.resolve("duplicate"), INBOUND, logger), "duplicate");
});

Deno.test("TakenOnce takes a message once, also while it is being taken", async () => {
  const once = new TakenOnce();
  const gate = Promise.withResolvers<boolean>();
  let takes = 0;
  const take = (): Promise<boolean> => {
    takes++;
    return gate.promise;
  };
  const both = [once.take("m1", take), once.take("m1", take)];
  gate.resolve(true);
  assert.deepEqual(await Promise.all(both), [true, true]);
  assert.equal(await once.take("m1", take), true);
  assert.equal(takes, 1);
});

Deno.test.each([
  { how: "was refused", fail: () => Promise.resolve(false) },
  { how: "failed", fail: () => Promise.reject(new Error("no")) },
])("TakenOnce takes a message again that $how", async ({ fail }) => {
  const once = new TakenOnce();
  assert.equal(await once.take("m1", fail).catch(() => false), false);
  assert.equal(await once.take("m1", () => Promise.resolve(true)), true);
});

Deno.test("TakenOnce forgets the oldest of many", async () => {
  const once = new TakenOnce();
  let takes = 0;
  const take = (): Promise<boolean> => Promise.resolve(++takes > 0);
  for (let n = 0; n <= 2_000; n++) await once.take(`m${n}`, take);
  await once.take("m2000", take);
  assert.equal(takes, 2_001);
  await once.take("m0", take);
  assert.equal(takes, 2_002);
});
