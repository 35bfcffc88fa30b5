import assert from "node:assert/strict";
import { OpenMessages, RunningTurn } from "../../../channels/cli/open_messages.ts";
import type { Said } from "../../../channels/cli/terminal_events.ts";

Deno.test("A turn is stopped once; what is said after it can be stopped again", () => {
  const open = new OpenMessages();
  const turn = new RunningTurn(open, () => "stop-id");
  const said: Said[] = [];
  open.add("a");
  assert.equal(turn.stop(), false, "there is no line yet");
  turn.stopBy((message) => void said.push(message));
  assert.equal(turn.stop(), true);
  assert.equal(turn.stop(), false, "the second time means to leave");
  assert.deepEqual(said, [{ platformId: "stop-id", content: "/stop" }]);
  open.settle({ platformId: "a", outcome: "stopped" });
  assert.equal(turn.stop(), false, "nothing runs");
  open.add("b");
  assert.equal(turn.stop(), true);
});
