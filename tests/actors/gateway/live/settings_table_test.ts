import assert from "node:assert/strict";
import { coreSchema } from "../../../../actors/config/schema.ts";
import { type Shape, shapeOf } from "../../../../actors/config/shape.ts";
import { changesBetween, withoutWaiting } from "../../../../actors/gateway/live/changes.ts";
import { EFFECTS } from "../../../../actors/gateway/live/settings_table.ts";
import { loadSettings } from "../../config/_load.ts";

/** Keys that are no object of known keys. */
function leavesOf(shape: Shape, path: string): string[] {
  if (shape.kind !== "object" || shape.fields.size === 0) return [path];
  return [...shape.fields].flatMap(([key, inner]) =>
    leavesOf(inner, path === "" ? key : `${path}.${key}`)
  );
}

Deno.test("The table says of each key of the schema how an edit of it is applied, and of no other", () => {
  const keys = leavesOf(shapeOf(coreSchema), "");
  assert.ok(keys.length > 80, "the schema was walked");
  assert.deepEqual(Object.keys(EFFECTS).toSorted(), keys.toSorted());
});

Deno.test("Changes are told apart by when they count, channels by name", async () => {
  const channel = { enabled: true, wingToken: "t", allowFrom: ["*"] };
  const { config: running } = await loadSettings({ channels: { pigeon: channel } });
  const { config: next } = await loadSettings({
    channels: { pigeon: { ...channel, allowFrom: ["a"] }, sendToolHints: true },
    agents: { defaults: { model: "other", timezone: "Asia/Shanghai" } },
    gateway: { port: 1, heartbeat: { intervalS: 60 } },
    providers: { openai: { apiKey: "k" } },
  });
  assert.deepEqual(changesBetween(running, next), {
    applied: [
      ...["agents.defaults.model", "channels.sendToolHints", "providers"],
      "gateway.heartbeat.intervalS",
    ],
    channels: ["pigeon"],
    waiting: ["agents.defaults.timezone", "gateway.port"],
  });
  assert.deepEqual(changesBetween(next, next), { applied: [], channels: [], waiting: [] });
});

Deno.test("What holds after an edit has the new values, but for those that wait for the next start", async () => {
  const { config: running } = await loadSettings({
    gateway: { port: 1 },
    tools: { exec: { timeout: 5 }, restrictToWorkspace: true },
  });
  const { config: next } = await loadSettings({
    gateway: { port: 2, heartbeat: { intervalS: 60 } },
    tools: { exec: { timeout: 7, sandbox: "none" }, restrictToWorkspace: false },
    providers: { openai: { apiKey: "k" } },
  });
  const holds = withoutWaiting(running, next);
  assert.equal(holds.gateway.port, 1);
  assert.equal(holds.tools.restrictToWorkspace, true);
  assert.equal(holds.tools.exec.sandbox, "auto");
  assert.equal(holds.tools.exec.timeout, 7);
  assert.equal(holds.gateway.heartbeat.intervalS, 60);
  assert.equal(holds.providers["openai"]?.apiKey, "k");
  const { applied, waiting } = changesBetween(holds, next);
  assert.deepEqual(applied, []);
  assert.deepEqual(waiting, ["gateway.port", "tools.restrictToWorkspace", "tools.exec.sandbox"]);
});
