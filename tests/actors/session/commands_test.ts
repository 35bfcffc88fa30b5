import assert from "node:assert/strict";
import { SessionBench } from "../../support/session_bench.ts";
import { until } from "../../support/until.ts";

Deno.test.each(["/help", "/status", "/usage"])(
  "Session answers %s at once while a turn runs, and asks no permit for it",
  async (command) => {
    const held = Promise.withResolvers<void>();
    await using bench = new SessionBench({ script: [{ text: "done", after: held.promise }] });
    await bench.say("work");
    await until(() => bench.provider.running === 1);
    await bench.say(command);
    await until(() => bench.replies().length === 1);
    assert.equal(bench.provider.running, 1);
    assert.equal(bench.permitsOut(), 1);
    held.resolve();
    await bench.quiet();
    assert.deepEqual(bench.story(), ["user work", "assistant done"]);
  },
);

Deno.test("Session takes a command that came with a document for one, and says so", async () => {
  await using bench = new SessionBench({ script: [] });
  await bench.say("/status", { media: ["/media/report.pdf"] });
  await bench.quiet();
  const [reply = ""] = bench.replies();
  assert.match(reply, /^Version: /);
  assert.match(reply, /attached/);
});

Deno.test("Session leaves unknown slash words and commands with a tail to the model", async () => {
  await using bench = new SessionBench({ script: ["one", "two"] });
  await bench.say("/weather Berlin");
  await bench.quiet();
  await bench.say("/new please");
  await bench.quiet();
  assert.deepEqual(bench.replies(), ["one", "two"]);
});

Deno.test("Session answers a command that breaks, and goes on", async () => {
  await using bench = new SessionBench({
    script: ["hello"],
    services: {
      uptimeMs: () => {
        throw new Error("the clock is gone");
      },
    },
  });
  await bench.say("/status");
  await bench.say("hi");
  await bench.quiet();
  assert.deepEqual(bench.replies(), ["Sorry, /status failed: the clock is gone", "hello"]);
  assert.ok(!bench.world.events.some(({ type }) => type === "actor_restarted"));
});

Deno.test("Session tells its status although the search service breaks", async () => {
  await using bench = new SessionBench({
    services: { searchUsage: () => Promise.reject(new Error("no network")) },
  });
  await bench.say("/status");
  await bench.quiet();
  assert.match(bench.replies()[0] ?? "", /^Search: unavailable \(no network\)$/m);
});

Deno.test("Session does not let /stop wait for what /status looks up", async () => {
  const asked = Promise.withResolvers<void>();
  await using bench = new SessionBench({
    services: {
      searchUsage: (signal) => {
        asked.resolve();
        const { promise, reject } = Promise.withResolvers<string>();
        signal.addEventListener("abort", () => reject(signal.reason), { once: true });
        return promise;
      },
    },
  });
  await bench.say("/status");
  await asked.promise;
  await bench.say("/stop");
  await bench.quiet();
  const [status = "", stopped = ""] = bench.replies();
  assert.match(status, /^Search: unavailable \(not asked to the end/m);
  assert.match(stopped, /nothing was stopped/);
});

Deno.test("Session answers commands that wait for one another, each once", async () => {
  await using bench = new SessionBench();
  for (const command of ["/help", "/status", "/HELP", "/usage"]) await bench.say(command);
  await bench.quiet();
  assert.deepEqual(bench.replies().map((text) => text.split(/[ :]/)[0]), [
    "Commands",
    "Version",
    "Commands",
    "Last",
  ]);
});

Deno.test("Session keeps what is for owners from others, and does it for an owner", async () => {
  let restarts = 0;
  await using bench = new SessionBench({
    services: {
      isOwner: ({ senderId }) => senderId === "ou_1",
      restart: {
        noteFor: () => ({ key: "restart", value: 1 }),
        request: () => void restarts++,
      },
    },
  });
  await bench.say("/restart", { senderId: "ou_2" });
  await bench.quiet();
  assert.match(bench.replies()[0] ?? "", /^Only an owner/);
  assert.equal(restarts, 0);
  await bench.say("/restart");
  await bench.quiet();
  await until(() => restarts === 1);
});

Deno.test("Session forgets its metadata with /new", async () => {
  await using first = new SessionBench({ script: ["hello"] });
  await first.say("hi");
  await first.quiet();
  const disk = first.crash();
  const [[name = "", text = ""] = []] = Object.entries(disk.files);
  const metadata = '"metadata":{"_last_summary":{"text":"old"}}';
  const files = { [name]: text.replace('"metadata":{}', metadata) };
  assert.ok(files[name]?.includes(metadata));
  await using bench = new SessionBench({ script: ["again"], disk: { ...disk, files } });
  await bench.say("/new");
  await bench.quiet();
  await bench.say("hi");
  await bench.quiet();
  assert.ok(![...bench.files.texts.values()].some((kept) => kept.includes("_last_summary")));
});
