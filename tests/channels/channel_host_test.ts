import assert from "node:assert/strict";
import { ChannelHost, type ChannelHostMessage } from "../../channels/channel_host.ts";
import type { DeliveryOutcome, FromChannel } from "../../channels/host_protocol.ts";
import type { ChannelContext, Delivery } from "../../channels/channel.ts";
import type { JsonValue } from "../../actors/kernel/json.ts";
import { Probe } from "../support/probe.ts";
import { ProbeChannel } from "../support/probe_channel.ts";
import { testSystem } from "../support/system.ts";
import { settle } from "../support/until.ts";

const DELIVERY: Delivery = {
  key: "a",
  chatId: "c1",
  phase: "growing",
  text: "",
  isPlain: false,
  activity: "",
  media: [],
  context: {},
  channelState: null,
  settles: [],
};

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
      delivery: { ...DELIVERY, key, text },
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

Deno.test("ChannelHost carries what was remembered for a delivery while it waited", async () => {
  await using world = testSystem();
  const stored = new Map<string, JsonValue>();
  let isFull = false;
  const gateway = world.system.spawn<FromChannel>({
    name: "gateway",
    create: () => ({
      receive: (message) => {
        if (message.type !== "remember") return;
        if (isFull) return message.replyTo.refuse(new Error("the disk is full"));
        stored.set(message.key, message.channelState);
        message.replyTo.reply("remembered");
      },
    }),
  });
  const carried: JsonValue[] = [];
  const host = world.system.spawn<ChannelHostMessage>({
    name: "host",
    create: (context) =>
      new ChannelHost(context, {
        ...{ name: "probe", mediaFolder: "/media", gateway },
        load: () =>
          Promise.resolve((channel) =>
            new ProbeChannel(channel, {
              onDeliver: async ({ key, text, channelState }) => {
                carried.push(channelState);
                if (text !== "") await channel.remember(key, { shown: text });
              },
            })
          ),
      }),
  });
  const deliver = (delivery: Partial<Delivery>) =>
    host.ask<DeliveryOutcome>((replyTo) => ({
      ...{ type: "deliver", askedAtMs: world.clock.now(), replyTo },
      delivery: { ...DELIVERY, ...delivery },
    }), { timeoutMs: 60_000 });
  await Promise.all([
    deliver({ text: "so f" }),
    deliver({ text: "so far", key: "other" }),
    deliver({ text: "so far" }),
    deliver({ text: "", phase: "final" }),
  ]);
  assert.deepEqual(carried, [null, null, { shown: "so f" }, { shown: "so far" }]);
  assert.deepEqual(stored.get("a"), { shown: "so far" });
  carried.length = 0;
  isFull = true; // whether the next is stored nobody can tell
  await deliver({ text: "so far and on", key: "other" });
  await deliver({ text: "", key: "other", channelState: { shown: "read anew" } });
  assert.deepEqual(carried, [{ shown: "so far" }, { shown: "read anew" }]);
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
