import assert from "node:assert/strict";
import stringWidth from "string-width";
import type { Top } from "../../../actors/gateway/watch/top.ts";
import { topLines } from "../../../channels/cli/top_text.ts";

const TOP: Top = {
  atMs: 0,
  status: "ok",
  uptimeS: 3_725,
  residentBytes: 123_000_000,
  permits: { held: 2, waiting: 1, limit: 3 },
  queue: { accepted: 4, running: 2, outbound: 1 },
  sessionsAwake: 5,
  deadLetters: 0,
  channels: [{ name: "feishu", state: "ready", restarts: 1, outbox: 2 }],
  turns: [
    { turn: "t1", session: "feishu:oc_1", forMs: 4_200, at: ["gpt-x 3.1s"] },
    { turn: "t2", session: "cli:direct\x1b[2J", forMs: 100, at: [] },
  ],
  actorCount: 40,
  actors: Array.from({ length: 40 }, (_, n) => ({
    ...{ name: `/actor_${n}`, state: n === 0 ? "suspended" : "running", waiting: 40 - n },
    restarts: 0,
  })),
};

Deno.test("top shows the gateway, its channels, turns and mailboxes", () => {
  const lines = topLines(TOP, { columns: 200 });
  const shown = lines.join("\n");
  assert.match(shown, /^Gateway ok, up 1h 2m, 123 MB, 40 actors, 5 sessions awake/);
  assert.match(shown, /^Turns 2 of 3, 1 in line; messages: 4 waiting, 2 running, 1 to be sent$/m);
  assert.match(shown, /^feishu +ready +2 +1$/m);
  assert.match(shown, /^4\.2s +feishu:oc_1 +gpt-x 3\.1s$/m);
  assert.match(shown, /^40 +0 +\/actor_0 \(suspended\)$/m);
  assert.equal(lines.filter((line) => line.includes("/actor_")).length, 20);
});

Deno.test("top lets nothing that people named reach the terminal's controls", () => {
  assert.ok(!topLines(TOP, { columns: 200 }).join("").includes("\x1b"));
});

Deno.test.each([[80, 24], [40, 16], [20, 10]])(
  "top keeps to a window of %d columns and %d rows as far as it can",
  (columns, rows) => {
    const lines = topLines(TOP, { columns, rows });
    assert.ok(lines.every((line) => line.length <= columns));
    assert.ok(lines.length <= Math.max(rows, 13), `${lines.length}`);
  },
);

Deno.test("top cuts wide characters by the columns that they take", () => {
  const turns = [{ turn: "t1", session: "话".repeat(40), forMs: 100, at: [] }];
  const lines = topLines({ ...TOP, turns }, { columns: 40, rows: 24 });
  assert.ok(lines.every((line) => stringWidth(line) <= 40), lines.join("\n"));
});

Deno.test("top says so when no turn runs and the journal cannot be read", () => {
  const lines = topLines({ ...TOP, turns: [], queue: null }, { columns: 200 }).join("\n");
  assert.match(lines, /the journal cannot be read/);
  assert.match(lines, /AT\n-\n/);
});
