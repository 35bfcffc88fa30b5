import assert from "node:assert/strict";
import {
  commandMenu,
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

Deno.test("commandMenu has all commands, with names and lines that fit into platforms' menus", () => {
  const menu = commandMenu();
  assert.deepEqual(menu.map(({ name }) => name), COMMANDS.map(({ name }) => name));
  for (const { name, argument, description } of menu) {
    assert.match(name, /^[a-z][a-z-]{0,31}$/);
    assert.ok(description.length > 0 && description.length <= 100, name);
    assert.ok(argument === null || /^[a-z]+$/.test(argument), name);
  }
});

Deno.test("Every command of the menu is one, also with underscores for hyphens", () => {
  for (const { name } of commandMenu()) {
    assert.deepEqual(parseCommand(`/${name}`), { name, argument: "" });
    assert.deepEqual(parseCommand(`/${name.replaceAll("-", "_")}`), { name, argument: "" });
  }
});

Deno.test.each([
  ["/model OpenAI/GPT-5", "model", "OpenAI/GPT-5"],
  ["  /MODEL\t Fast ", "model", "Fast"],
  ["/dream-log 0Af1", "dream-log", "0Af1"],
  ["/dream_restore 0af1 and more", "dream-restore", "0af1 and more"],
  ["/model\nfast", "model", "fast"],
])("parseCommand keeps the argument of %j as it is written", (text, name, argument) => {
  assert.deepEqual(parseCommand(text), { name, argument });
});

Deno.test("Commands that end a turn, or are for owners, are few", () => {
  const names = COMMANDS.map(({ name }) => name);
  assert.deepEqual(names.filter(endsTurn), ["new", "stop", "undo"]);
  assert.ok(names.filter(isForOwners).includes("restart"));
});
