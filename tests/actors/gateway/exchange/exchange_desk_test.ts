import assert from "node:assert/strict";
import { ExchangeDesk } from "../../../../actors/gateway/exchange/exchange_desk.ts";
import { FakeGateway } from "../../../support/fake_gateway.ts";
import { ManualClock } from "../../../support/manual_clock.ts";
import { until } from "../../../support/until.ts";

Deno.test("ExchangeDesk hands in by the newest life of its channel", async () => {
  const desk = new ExchangeDesk("api", "programs");
  const gateway = new FakeGateway("api");
  const clock = new ManualClock();
  const ended = new AbortController();
  desk.local.create(gateway.context(clock, ended.signal));
  ended.abort();
  desk.local.create(gateway.context(clock, new AbortController().signal));
  const message = { content: "hello", sessionKey: "api:default", senderId: "user" };
  const exchange = desk.open(message, () => "m1");
  await until(() => gateway.inbounds.length > 0);
  const { value } = await exchange[Symbol.asyncIterator]().next();
  assert.deepEqual(value, { type: "accepted" });
});
