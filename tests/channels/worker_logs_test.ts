import assert from "node:assert/strict";
import { getLogger, reset } from "@logtape/logtape";
import { withTrace } from "../../actors/kernel/trace.ts";
import { ChannelHost, type ChannelHostMessage } from "../../channels/channel_host.ts";
import type { FromChannel } from "../../channels/host_protocol.ts";
import { forwardLogs, type LoggedInWorker } from "../../channels/worker_logs.ts";
import { Probe } from "../support/probe.ts";
import { ProbeChannel } from "../support/probe_channel.ts";
import { testSystem } from "../support/system.ts";
import { settle } from "../support/until.ts";

const TURN = "0b6f6c0e-2f0a-4b41-9f0e-9f6f3d1c2b3a";

Deno.test("Records of a Worker name the trace in which they were made", async () => {
  const gateway = new Probe<LoggedInWorker>();
  forwardLogs(gateway);
  try {
    const logger = getLogger(["troupe", "channels", "test"]);
    withTrace(TURN, () => logger.info("Sent {count}", { count: 2 }));
    logger.info("Idle");
    assert.deepEqual(gateway.received.map(({ properties }) => properties), [
      { trace: TURN, count: 2 },
      {},
    ]);
  } finally {
    await reset();
  }
});

Deno.test.each([
  [`${TURN}:0`, TURN],
  [`${TURN}:3:call_1`, TURN],
  ["progress:1", undefined],
  ["restart:1700000000000", undefined],
])("What a channel logs while it delivers %s names the turn %s", async (key, trace) => {
  const world = testSystem();
  await using _ = world;
  const gateway = new Probe<FromChannel>();
  const records = new Probe<LoggedInWorker>();
  forwardLogs(records);
  try {
    const onDeliver = () => getLogger(["troupe", "channels", "test"]).info("Delivers");
    const host = world.system.spawn<ChannelHostMessage>({
      name: "host",
      create: (context) =>
        new ChannelHost(context, {
          ...{ name: "probe", mediaFolder: "/media", gateway },
          load: () => Promise.resolve((channel) => new ProbeChannel(channel, { onDeliver })),
        }),
    });
    const empty = { isPlain: false, activity: "", media: [], settles: [], context: {} };
    const delivery = { ...empty, key, chatId: "c", phase: "final", text: "x", channelState: null };
    const asked = host.ask((replyTo) => ({
      type: "deliver",
      delivery: { ...delivery, phase: "final" },
      askedAtMs: world.clock.now(),
      replyTo,
    }), { timeoutMs: 1_000 });
    await settle();
    await asked;
    const [record] = records.received.filter(({ category }) => category.at(-1) === "test");
    assert.equal(record?.properties["trace"], trace);
  } finally {
    await reset();
  }
});
