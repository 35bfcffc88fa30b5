import assert from "node:assert/strict";
import type { GatewayStatus } from "../../../actors/gateway/control_requests.ts";
import {
  duration,
  idleText,
  runningText,
  settingsText,
} from "../../../channels/cli/status_text.ts";

const RUNNING: GatewayStatus = {
  pid: 42,
  command: "gateway",
  startedAtMs: 0,
  configFile: "/h/config.json",
  workspace: "/h/ws",
  stateFolder: "/h/state",
  model: "Model: m by V at http://x",
  healthUrl: "http://127.0.0.1:1/health",
  health: {
    status: "ok",
    version: "1.2.3",
    uptime_s: 3_725,
    channels: {
      feishu: {
        state: "ready",
        detail: "connected",
        restarts: 2,
        last_error: "lost",
        last_event: null,
        outbox: 3,
      },
      cli: {
        state: "ready",
        detail: "here",
        restarts: 0,
        last_error: null,
        last_event: null,
        outbox: 0,
      },
    },
    mcp: { files: { state: "needs_sign_in", detail: "wants it", tools: 0 } },
    sessions: { awake: 2 },
    turns: { running: 1, waiting: 4, limit: 3 },
    queue: { accepted: 5, running: 1, outbound: 3 },
    jobs: {
      ...{ count: 3, enabled: 2, running: 1 },
      ...{ next_due: "2026-06-01T09:00:00.000Z", trouble: null },
    },
    fence: null,
    config: { state: "refused", problem: "one line", at_next_start: ["gateway.port"] },
    dead_letters: 0,
  },
};

Deno.test("A running gateway is told in a few lines", () => {
  assert.equal(
    runningText(RUNNING),
    `Gateway: running, ok (process 42, version 1.2.3, up 1h 2m)
Config: /h/config.json
  not applied: one line
  at the next start: gateway.port
Workspace: /h/ws
Model: m by V at http://x
Health: http://127.0.0.1:1/health
Channels:
  feishu: ready (connected), restarts 2, outbox 3, last error: lost
  cli: ready (here)
MCP servers:
  files: needs sign in (wants it), 0 tools
Sessions: 2 awake
Turns: 1 running, 4 waiting (limit 3)
Queue: 5 accepted, 1 running, 3 to send
Jobs: 3, 1 running, 1 paused, next 2026-06-01T09:00:00.000Z
`,
  );
});

Deno.test("What the configuration says is told below", () => {
  const provider = {
    ...{ name: "ollama", displayName: "Ollama", needs: "local", isConfigured: true } as const,
    ...{ baseUrl: "http://x/v1", isCurrent: true, standIns: [], account: null },
  };
  const overrides = [{ key: "gateway.port", variable: "TROUPE_GATEWAY__PORT" }];
  assert.equal(
    settingsText({ providers: [provider], owners: ["telegram:7"], overrides }),
    `Providers:
  * ollama: Ollama at http://x/v1 (answers now)
Owners: telegram:7
From the environment: gateway.port (TROUPE_GATEWAY__PORT)
`,
  );
  assert.equal(
    settingsText({ providers: [], owners: [], overrides: [] }),
    "Providers: none is set up\nOwners: none\n",
  );
});

Deno.test("Without a gateway it is told what there is", () => {
  const text = idleText({
    configFile: "/h/config.json",
    hasConfigFile: false,
    workspace: "/h/ws",
    hasWorkspace: true,
    stateFolder: "/h/state",
    model: "Model: no provider is configured",
    channels: [],
    queue: null,
    lockedBy: null,
    backedUpAt: null,
  });
  assert.match(
    text,
    /^Gateway: not running\nConfig: \/h\/config.json \(missing\)\nWorkspace: \/h\/ws\n/,
  );
  assert.match(text, /Channels: none is enabled\nQueue: unknown\n$/);
});

Deno.test.each<[number, string]>([
  [0, "0s"],
  [59, "59s"],
  [60, "1m 0s"],
  [3_600, "1h 0m"],
  [90_061, "1d 1h"],
])("%i seconds are %s", (seconds, text) => {
  assert.equal(duration(seconds), text);
});
