import assert from "node:assert/strict";
import { AccessToken } from "../../channels/access_token.ts";
import { ManualClock } from "../support/manual_clock.ts";

const { signal } = new AbortController();
const LIFE_MS = 7_200_000;

/** A platform that gives `token-1`, `token-2` and so on. */
function lending({ lifeMs = LIFE_MS }: { readonly lifeMs?: number } = {}) {
  const clock = new ManualClock();
  const world: { readonly clock: ManualClock; fetches: number; fault: Error | null } = {
    clock,
    fetches: 0,
    fault: null,
  };
  const fetch = () => {
    world.fetches++;
    return world.fault === null
      ? Promise.resolve({ token: `token-${world.fetches}`, lifeMs })
      : Promise.reject(world.fault);
  };
  return { world, token: new AccessToken({ clock, signal, fetch }) };
}

Deno.test("AccessToken asks once for all who wait", async () => {
  const { world, token } = lending();
  const given = await Promise.all([1, 2, 3].map(() => token.get(signal)));
  assert.deepEqual(given, ["token-1", "token-1", "token-1"]);
  assert.equal(await token.get(signal), "token-1");
  assert.equal(world.fetches, 1);
});

Deno.test("AccessToken asks anew a minute before the end", async () => {
  const { world, token } = lending();
  await token.get(signal);
  await world.clock.advance(LIFE_MS - 60_001);
  assert.equal(await token.get(signal), "token-1");
  await world.clock.advance(1);
  assert.equal(await token.get(signal), "token-2");
});

Deno.test("AccessToken uses a short life for half of it", async () => {
  const { world, token } = lending({ lifeMs: 60_000 });
  await token.get(signal);
  await world.clock.advance(29_999);
  assert.equal(await token.get(signal), "token-1");
  await world.clock.advance(1);
  assert.equal(await token.get(signal), "token-2");
});

Deno.test("AccessToken tries a call once more with a new token", async () => {
  const { token } = lending();
  const used: string[] = [];
  const work = (given: string) => {
    used.push(given);
    return used.length === 1 ? Promise.reject(new Error("401")) : Promise.resolve("done");
  };
  assert.equal(await token.use(work, () => true, signal), "done");
  assert.deepEqual(used, ["token-1", "token-2"]);
});

Deno.test("AccessToken keeps a token over failures of another kind", async () => {
  const { world, token } = lending();
  const failing = token.use(() => Promise.reject(new Error("500")), () => false, signal);
  await assert.rejects(failing, /500/);
  assert.equal(await token.get(signal), "token-1");
  assert.equal(world.fetches, 1);
});

Deno.test("AccessToken leaves a newer token alone when an old one is refused", async () => {
  const { token } = lending();
  token.invalidate(await token.get(signal));
  assert.equal(await token.get(signal), "token-2");
  token.invalidate("token-1");
  assert.equal(await token.get(signal), "token-2");
});

Deno.test("AccessToken asks again after a failure", async () => {
  const { world, token } = lending();
  world.fault = new Error("down");
  await assert.rejects(token.get(signal), /down/);
  world.fault = null;
  assert.equal(await token.get(signal), "token-2");
});

Deno.test("AccessToken lets one caller go without the others", async () => {
  const clock = new ManualClock();
  const answer = Promise.withResolvers<{ token: string; lifeMs: number }>();
  const token = new AccessToken({ clock, signal, fetch: () => answer.promise });
  const gone = new AbortController();
  const first = token.get(gone.signal);
  const second = token.get(signal);
  gone.abort(new Error("gave up"));
  await assert.rejects(first, /gave up/);
  answer.resolve({ token: "token", lifeMs: LIFE_MS });
  assert.equal(await second, "token");
});
