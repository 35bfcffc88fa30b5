import assert from "node:assert/strict";
import { subscribeToEvents } from "../../actors/kernel/adapters/event_channel.ts";
import { z } from "zod";
import { configFor, GatewayHome } from "../support/gateway_process.ts";
import { startInProcess } from "../support/gateway_in_process.ts";
import { until } from "../support/until.ts";

const actorEvent = z.object({ type: z.string(), actor: z.string() });

Deno.test("A gateway tells all who listen what happens to its actors", async () => {
  await using home = await GatewayHome.make();
  const events: z.infer<typeof actorEvent>[] = [];
  using _listening = subscribeToEvents<z.infer<typeof actorEvent>>({
    parse: (event) => actorEvent.safeParse(event).data,
    onEvent: (event) => void events.push(event),
  });
  await using running = await startInProcess(home, configFor({}));
  await running.probe.say("p1", "hello");
  const has = (type: string, actor: RegExp) =>
    events.some((event) => event.type === type && actor.test(event.actor));
  await until(() => has("actor_started", /\/router\//), { what: "the start of a session" });
  assert.ok(has("actor_started", /^\/gate$/));
});
