import assert from "node:assert/strict";
import type { StrandedMessage } from "../../../actors/gateway/control_requests.ts";
import { strandedText } from "../../../channels/cli/stranded_text.ts";

const MESSAGE: StrandedMessage = {
  id: "out-7",
  direction: "out",
  state: "failed",
  channel: "feishu",
  chatId: "oc_1",
  sessionKey: "feishu:oc_1",
  atMs: Date.UTC(2026, 3, 1, 12, 30, 59),
  reason: "no such\n  chat",
};

Deno.test("Stranded messages are listed one a line, with what can be done", () => {
  const inbound: StrandedMessage = {
    ...MESSAGE,
    id: "in-12",
    direction: "in",
    state: "parked",
    sessionKey: "unified:default",
    reason: null,
  };
  assert.equal(
    strandedText([MESSAGE, inbound], 50),
    `out-7  2026-04-01 12:30  failed  to feishu:oc_1: no such chat
in-12  2026-04-01 12:30  parked  from feishu:oc_1 (session unified:default)
Take one up again with retry <id>, or let go of it with drop <id>
`,
  );
});

Deno.test("A list that was cut says so, and an empty one that there is nothing", () => {
  assert.match(strandedText([MESSAGE], 1), /\(the newest 1; --limit shows more\)/);
  assert.equal(strandedText([], 50), "No message has failed\n");
});
