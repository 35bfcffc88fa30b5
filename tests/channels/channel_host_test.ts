import assert from "node:assert/strict";
import { ChannelHost, type ChannelHostMessage } from "../../channels/channel_host.ts";
import type { DeliveryOutcome, FromChannel } from "../../channels/host_protocol.ts";
import type { ChannelContext, Delivery } from "../../channels/channel.ts";
import { Probe } from "../support/probe.ts";
import { ProbeChannel } from "../support/probe_channel.ts";
import { testSystem } from "../support/system.ts";
import { settle } from "../support/until.ts";

/** A host whose channel ends each delivery when it is told to. */
async function heldHost() {
  const world = testSystem();
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const onDeliver = ({ key, text }: Delivery) => {
    begun.push(`${key} ${text}`);
    const { promise, resolve } = Promise.withResolvers<void>();
    ends.push(resolve);
    return promise;
  };
  const gateway = new Probe<FromChannel>();
  const host = world.system.spawn<ChannelHostMessage>({
    name: "host",
    create: (context) =>
      new ChannelHost(context, {
        name: "probe",
        mediaFolder: "/media",
        gateway,
        load: () => Promise.resolve((channel) => new ProbeChannel(channel, { onDeliver })),
      }),
  });
  const deliver = (key: string, text: string, askedAtMs = world.clock.now()) =>
    host.ask<DeliveryOutcome>((replyTo) => ({
      type: "deliver",
      askedAtMs,
      delivery: {
        key,
        chatId: "c1",
        phase: "growing",
        text,
        isPlain: false,
        activity: "",
        media: [],
        context: {},
        channelState: null,
        settles: [],
      },
      replyTo,
    }), { timeoutMs: 60_000 });
  await settle();
  return {
    begun,
    clock: world.clock,
    deliver,
    end: async () => {
      ends.shift()?.();
      await settle();
    },
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  };
}

Deno.test("ChannelHost begins a delivery when the one before it with its key has ended", async () => {
  await using host = await heldHost();
  const first = host.deliver("a", "so f");
  const second = host.deliver("a", "so far");
  const other = host.deliver("b", "else");
  await settle();
  assert.deepEqual(host.begun, ["a so f", "b else"]);
  await host.end();
  assert.deepEqual(host.begun, ["a so f", "b else", "a so far"]);
  await host.end();
  await host.end();
  for (const outcome of [first, second, other]) assert.equal((await outcome).state, "sent");
});

Deno.test("ChannelHost begins no delivery that waited so long that nobody may know of it", async () => {
  await using host = await heldHost();
  const first = host.deliver("a", "hello");
  const second = host.deliver("a", "hello");
  await settle();
  await host.clock.advance(30_000);
  await host.end();
  assert.deepEqual(host.begun, ["a hello"]);
  assert.equal((await first).state, "sent");
  const late = await second;
  assert.equal(late.state === "failed" && late.code, "delivery_transient");
  const third = host.deliver("a", "hello");
  await settle();
  await host.end();
  assert.equal((await third).state, "sent");
});

Deno.test("ChannelHost begins no delivery that waited on its way, as for a channel that started anew", async () => {
  await using host = await heldHost();
  const late = await host.deliver("a", "hello", host.clock.now() - 6_000);
  assert.equal(late.state === "failed" && late.code, "delivery_transient");
  assert.deepEqual(host.begun, []);
});

Deno.test("ChannelHost tells its channel what people can command", async () => {
  await using world = testSystem();
  const commands = [{ name: "new", argument: null, description: "Start a new session" }];
  const given = Promise.withResolvers<ChannelContext>();
  world.system.spawn<ChannelHostMessage>({
    name: "host",
    create: (context) =>
      new ChannelHost(context, {
        name: "probe",
        mediaFolder: "/media",
        commands,
        gateway: new Probe<FromChannel>(),
        load: () =>
          Promise.resolve((channel) => {
            given.resolve(channel);
            return new ProbeChannel(channel);
          }),
      }),
  });
  assert.deepEqual((await given.promise).commands, commands);
});
