import assert from "node:assert/strict";
import { commandMenu } from "../../../actors/session/command_table.ts";
import { completions } from "../../../channels/cli/completions.ts";

const COMMANDS = [
  { name: "stop", argument: null, description: "Stop" },
  { name: "status", argument: null, description: "Tell" },
  { name: "model", argument: "name", description: "Change" },
];

Deno.test.each([
  ["/st", ["/stop", "/status"]],
  ["/STO", ["/stop"]],
  ["/m", ["/model "]],
  ["/q", ["/quit"]],
  ["/stop now", []],
  ["/nothing", []],
  ["st", []],
  ["", []],
])("completions makes of %j %j", (line, words) => {
  assert.deepEqual(completions(line, COMMANDS), words);
});

Deno.test("completions offers every command for a slash", () => {
  assert.equal(completions("/", commandMenu()).length, commandMenu().length + 2);
});
