import assert from "node:assert/strict";
import type { MemoryDesk } from "../../../actors/session/ports.ts";
import { SessionBench } from "../../support/session_bench.ts";

/** Notes what it is asked. */
function desk(change: Partial<MemoryDesk> = {}): { asked: string[]; memory: MemoryDesk } {
  const asked: string[] = [];
  const memory: MemoryDesk = {
    mayLook: () => true,
    dream: ({ chatId }) => void asked.push(`dream for ${chatId}`),
    list: (limit) => {
      asked.push(`list ${limit}`);
      return Promise.resolve({ state: "versions", versions: [] });
    },
    show: (id) => {
      asked.push(`show ${id}`);
      return Promise.resolve({ state: "unknown" });
    },
    restore: (id) => {
      asked.push(`restore ${id}`);
      return Promise.resolve({ state: "unchanged" });
    },
    ...change,
  };
  return { asked, memory };
}

Deno.test.each([
  ["/dream", "dream for oc_1", /Dream has started/],
  ["/Dream-Log", "show null", /no version of the memory yet/],
  ["/dream-log ab12 and more", "show ab12", /no version "ab12"/],
  ["/dream-restore", "list 10", /no version/],
  ["/dream-restore ab12", "restore ab12", /Nothing to do/],
])("%j is answered at once, without the model", async (text, asks, reply) => {
  const { asked, memory } = desk();
  await using bench = new SessionBench({ services: { memory } });
  await bench.say(text);
  await bench.quiet();
  assert.deepEqual(asked, [asks.replace("oc_1", bench.journal.rows().inbounds[0]?.chatId ?? "")]);
  assert.match(bench.replies().at(-1) ?? "", reply);
  assert.equal(bench.provider.requests.length, 0);
});

Deno.test("Only owners take versions back, where there are any", async () => {
  const { asked, memory } = desk();
  await using bench = new SessionBench({ services: { memory, isOwner: () => false } });
  await bench.say("/dream-restore ab12");
  await bench.say("/dream-log");
  await bench.quiet();
  assert.deepEqual(asked, ["show null"]);
  assert.match(bench.replies()[0] ?? "", /Only an owner/);
});

Deno.test("Where memories are kept apart, nobody else sees versions", async () => {
  const { asked, memory } = desk({ mayLook: () => false });
  await using bench = new SessionBench({ services: { memory } });
  for (const text of ["/dream-log", "/dream-restore", "/dream-restore ab12"]) await bench.say(text);
  await bench.quiet();
  assert.deepEqual(asked, []);
  assert.equal(bench.replies().filter((text) => /Only an owner/.test(text)).length, 3);
});

Deno.test("A memory that fails is told, and the command is done", async () => {
  const { memory } = desk({ show: () => Promise.reject(new TypeError("no disk")) });
  await using bench = new SessionBench({ services: { memory } });
  await bench.say("/dream-log");
  await bench.quiet();
  assert.match(bench.replies().at(-1) ?? "", /no disk/);
  assert.equal(bench.journal.rows().inbounds[0]?.state, "done");
});

Deno.test("Without a memory its commands say so", async () => {
  await using bench = new SessionBench();
  for (const text of ["/dream", "/dream-log", "/dream-restore"]) await bench.say(text);
  await bench.quiet();
  assert.equal(bench.replies().filter((text) => /no memory/.test(text)).length, 3);
});
