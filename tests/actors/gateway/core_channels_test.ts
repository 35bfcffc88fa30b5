import assert from "node:assert/strict";
import type { ProbeChannel } from "../../support/probe_channel.ts";
import { CoreBench, probeChannel } from "../../support/core_bench.ts";
import { until } from "../../support/until.ts";
import { anOutbound } from "../journal/fixtures.ts";

function nobody(): boolean {
  return false;
}

/** A channel `probe`, and each life of it in turn. */
function probes() {
  const lives: ProbeChannel[] = [];
  const channel = (revision: string) => ({
    ...probeChannel("probe", {}, (made) => lives.push(made)),
    revision,
  });
  return { channel, lives };
}

Deno.test("A channel that is removed keeps what waits to be sent, and sends it when it is back", async () => {
  await using bench = new CoreBench();
  await until(() => bench.core.outboxes.has("probe"));
  await bench.core.changeChannels([], nobody);
  assert.deepEqual([...bench.core.outboxes.keys()], []);
  const row = anOutbound({ channel: "probe", chatId: "c1", content: "kept for you" });
  await bench.journal.commit({ outbounds: [row] });

  const { channel, lives } = probes();
  await bench.core.changeChannels([channel("1")], nobody);
  await until(() => lives[0]?.textsOf("c1").length === 1, { what: "the kept message" });
  assert.deepEqual(lives[0]?.textsOf("c1"), ["kept for you"]);
});

Deno.test("A channel begins anew only where its settings changed, and answers go on", async () => {
  await using bench = new CoreBench();
  const { channel, lives } = probes();
  await bench.core.changeChannels([channel("1")], nobody);
  const [first] = lives;
  await until(() => lives.length === 1);
  await bench.core.changeChannels([channel("1")], nobody);
  assert.equal(lives.length, 1, "the same settings change nothing");
  await first?.say("c1", "before");
  await until(() => lives[0]?.textsOf("c1").length === 1, { what: "an answer" });

  await bench.core.changeChannels([channel("2")], nobody);
  await until(() => lives.length === 2, { what: "another life" });
  await lives[1]?.say("c1", "after");
  await until(() => lives[1]?.textsOf("c1").length === 1, { what: "an answer" });
  assert.deepEqual(lives.map((life) => life.textsOf("c1")), [["echo before"], ["echo after"]]);
  const { channels } = await bench.health();
  assert.equal(channels["probe"]?.state, "ready");
  assert.equal(channels["probe"]?.restarts, 0);
  assert.equal(channels["probe"]?.last_error, null);
});

Deno.test("Channels of this process stay whatever the configuration says", async () => {
  await using bench = new CoreBench();
  await bench.core.changeChannels([], (name) => name === "probe");
  assert.deepEqual([...bench.core.outboxes.keys()], ["probe"]);
});

Deno.test("The limit of turns is raised while the gateway runs", async () => {
  await using bench = new CoreBench({ permitsMax: 1 });
  bench.core.limit({ permitsMax: 5, subagentsMax: 2 });
  await until(async () => (await bench.health()).turns.limit !== 1);
  assert.equal((await bench.health()).turns.limit, 5);
});
