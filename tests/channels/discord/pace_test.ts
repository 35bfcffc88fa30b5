import assert from "node:assert/strict";
import { DiscordRefusedError } from "../../../channels/discord/errors.ts";
import { kindOf, Pace } from "../../../channels/discord/pace.ts";
import { ManualClock } from "../../support/manual_clock.ts";

const SEND = { method: "POST", path: "/channels/111111111111111111/messages" } as const;
const OTHER = { method: "POST", path: "/channels/222222222222222222/messages" } as const;
const { signal } = new AbortController();

/** Whether a call may go out at once. */
async function isFree(pace: Pace, call: Parameters<Pace["turn"]>[0]): Promise<boolean> {
  const over = new AbortController();
  const turn = pace.turn(call, over.signal).then(() => true, () => false);
  await Promise.resolve();
  over.abort();
  return await turn;
}

Deno.test("Pace waits until a limit that is spent begins anew", async () => {
  const clock = new ManualClock();
  const pace = new Pace(clock);
  pace.note(SEND, { bucket: "b", remaining: 1, resetAfterMs: 2_000 });
  await pace.turn(SEND, signal);
  assert.equal(await isFree(pace, SEND), false);
  assert.equal(await isFree(pace, OTHER), true, "another channel counts by itself");
  await clock.advance(2_100);
  assert.equal(await isFree(pace, SEND), true);
  assert.equal(clock.pending, 0);
});

Deno.test("Pace gives a long wait back to whoever keeps what cannot be sent", async () => {
  const pace = new Pace(new ManualClock());
  const refusal = { status: 429, platformCode: 0, platformMessage: "", retryAfterMs: 60_000 };
  pace.hold(SEND, new DiscordRefusedError("send", refusal));
  await assert.rejects(pace.turn(SEND, signal), { status: 429, retryAfterMs: 60_000 });
  assert.equal(await isFree(pace, OTHER), true);
  pace.hold(SEND, new DiscordRefusedError("send", { ...refusal, isForAll: true }));
  await assert.rejects(pace.turn(OTHER, signal), { status: 429 });
});

Deno.test("Pace lets one call out under a limit of two kinds until its answer tells of more", async () => {
  const clock = new ManualClock();
  const pace = new Pace(clock);
  const path = "/channels/111111111111111111/messages/222222222222222222";
  const add = { method: "PATCH", path } as const;
  const remove = { method: "DELETE", path } as const;
  for (const call of [add, remove]) {
    pace.note(call, { bucket: "messages", remaining: 1, resetAfterMs: 250 });
  }
  await clock.advance(1_000);
  await pace.turn(add, signal);
  assert.equal(await isFree(pace, remove), false);
  pace.note(add, { bucket: "messages", remaining: 1, resetAfterMs: 250 });
  assert.equal(await isFree(pace, remove), true);
});

Deno.test("Pace lets one reaction out while nothing is known of their limit", async () => {
  const clock = new ManualClock();
  const pace = new Pace(clock);
  const path = "/channels/111111111111111111/messages/222222222222222222/reactions/x/@me";
  await pace.turn({ method: "PUT", path }, signal);
  assert.equal(await isFree(pace, { method: "DELETE", path }), false);
  pace.note({ method: "PUT", path }, { bucket: "reactions", remaining: 0, resetAfterMs: 250 });
  await clock.advance(300);
  assert.equal(await isFree(pace, { method: "DELETE", path }), true);
});

Deno.test("Pace lets no more than 45 calls out in a second", async () => {
  const clock = new ManualClock();
  const pace = new Pace(clock);
  for (let call = 0; call < 45; call++) await pace.turn(SEND, signal);
  assert.equal(await isFree(pace, OTHER), false);
  await clock.advance(1_000);
  assert.equal(await isFree(pace, OTHER), true);
});

Deno.test.each([
  { path: "/channels/111111111111111111/messages/222222222222222222/reactions/%F0%9F%91%80/@me" },
  { path: "/interactions/111111111111111111/secret/callback" },
  { path: "/webhooks/111111111111111111/secret/messages/@original" },
])("Calls are told apart by their channel or webhook alone, case %#", ({ path }) => {
  const other = path.replaceAll("222222222222222222", "333333333333333333")
    .replace("%F0%9F%91%80", "%E2%8F%B3");
  assert.deepEqual(kindOf({ method: "PUT", path }), kindOf({ method: "PUT", path: other }));
  const isReaction = path.includes("/reactions/");
  const [put, remove] = (["PUT", "DELETE"] as const).map((method) => kindOf({ method, path }).kind);
  assert.equal(put === remove, isReaction, "reactions come and go under one limit");
});
