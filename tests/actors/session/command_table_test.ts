import assert from "node:assert/strict";
import {
  COMMANDS,
  endsTurn,
  helpText,
  isForOwners,
  parseCommand,
} from "../../../actors/session/command_table.ts";

Deno.test.each([
  ["/new", "new"],
  ["/stop", "stop"],
  ["/status", "status"],
  ["/usage", "usage"],
  ["/help", "help"],
  ["  /STOP \n", "stop"],
  ["/New", "new"],
  ["/new please", undefined],
  ["/new\nplease", undefined],
  ["new", undefined],
  ["/", undefined],
  ["/unknown", undefined],
  ["/newer", undefined],
  ["//new", undefined],
  ["please /stop", undefined],
  ["", undefined],
])("parseCommand takes %j for %s", (text, name) => {
  assert.equal(parseCommand(text)?.name, name);
});

Deno.test("helpText has a line for each command, in the table's order", () => {
  const lines = helpText().split("\n").slice(1);
  assert.equal(lines.length, COMMANDS.length);
  for (const [index, { name, help }] of COMMANDS.entries()) {
    assert.ok(lines[index]?.startsWith(`/${name}`));
    assert.ok(lines[index]?.endsWith(`: ${help}`));
  }
});

Deno.test("Names and lines of commands fit into the menus of platforms", () => {
  for (const { name, help } of COMMANDS) {
    assert.match(name, /^[a-z][a-z-]{0,31}$/);
    assert.ok(help.length > 0 && help.length <= 100, name);
  }
});

Deno.test("Commands that end a turn, or are for owners, are few", () => {
  const names = COMMANDS.map(({ name }) => name);
  assert.deepEqual(names.filter(endsTurn), ["new", "stop"]);
  assert.ok(names.filter(isForOwners).includes("restart"));
});
