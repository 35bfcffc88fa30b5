import assert from "node:assert/strict";
import { acting } from "../../support/acting.ts";
import { testSystem } from "../../support/system.ts";
import { settle } from "../../support/until.ts";

Deno.test("A look at the actors tells their places, mailboxes and restarts", async () => {
  await using world = testSystem();
  const parent = world.system.spawn({
    ...acting<string>((word, context) => {
      if (word === "break") throw new Error("as planned");
      if (word === "spawn") context.spawn({ ...acting<string>(() => {}), name: "child" });
    }),
    name: "parent",
  });
  parent.tell("spawn");
  await settle();
  assert.deepEqual([...world.system.glances()], [
    { name: "/parent", state: "running", waiting: 0, restarts: 0 },
    { name: "/parent/child", state: "running", waiting: 0, restarts: 0 },
  ]);
  parent.tell("break");
  parent.tell("wait");
  parent.tell("wait");
  await settle();
  assert.deepEqual([...world.system.glances()], [
    { name: "/parent", state: "suspended", waiting: 2, restarts: 1 },
  ]);
});
