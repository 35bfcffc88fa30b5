import assert from "node:assert/strict";
import { CoreBench } from "../../support/core_bench.ts";
import { providerError } from "../../support/scripted_provider.ts";
import { settle, until } from "../../support/until.ts";

Deno.test("Goals leave room to a person, and take turns with each other", async () => {
  const pause = Promise.withResolvers<void>();
  const goals: string[] = [];
  await using bench = new CoreBench({
    permitsMax: 2,
    script: ({ messages }) => {
      const asked = JSON.stringify(messages.at(-1));
      const [, chat, turn] = /Chat: (\w+).*\[Goal, turn (\d+)/.exec(asked) ?? [];
      if (turn === undefined) return "Hello!";
      goals.push(`${chat} ${turn}`);
      const piece = `${"x".repeat(goals.length)} is a piece of the work. `;
      return { text: piece.repeat(10), after: pause.promise };
    },
  });
  await settle();
  await bench.probe.say("anna", "/goal turns=3 Sort");
  await bench.probe.say("bert", "/goal turns=3 Count");
  await until(() => bench.provider.running === 1);
  await bench.probe.say("carl", "Hi");
  await until(() => bench.probe.textsOf("carl").length > 0);
  assert.deepEqual(bench.probe.textsOf("carl"), ["Hello!"]);
  assert.equal(bench.provider.running, 1, "the other goal still waits");
  pause.resolve();
  const isOver = (chat: string) =>
    bench.probe.textsOf(chat).some((text) => text.startsWith("The goal is given up"));
  await until(() => isOver("anna") && isOver("bert"));
  const chats = goals.map((goal) => goal.split(" ")[0]);
  assert.deepEqual(chats.toSorted(), ["anna", "anna", "anna", "bert", "bert", "bert"]);
  assert.ok(chats[0] !== chats[1] && chats[1] !== chats[2], "none goes twice past the other");
});

Deno.test("A goal that waited to be tried again goes on after a restart", async () => {
  const before = new CoreBench({
    script: () => ({ error: providerError("provider_bad_request") }),
  });
  await settle();
  await before.probe.say("anna", "/goal turns=2 Sort the letters");
  await until(() => before.probe.textsOf("anna").length === 2);
  const disk = before.crash();
  await before[Symbol.asyncDispose](); // takes the minute that it waits
  await using after = new CoreBench({
    disk,
    script: () => "A long piece of the work. ".repeat(10),
  });
  await settle();
  await until(() => after.probe.textsOf("anna").length === 2);
  assert.match(after.probe.textsOf("anna")[0] ?? "", /^A long piece/);
  assert.match(
    after.probe.textsOf("anna")[1] ?? "",
    /given up after 2 turns: its 2 turns are used/,
  );
});
