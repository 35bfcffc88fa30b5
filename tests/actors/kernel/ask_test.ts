import assert from "node:assert/strict";
import type { ReplyTo } from "../../../actors/kernel/ref.ts";
import { acting } from "../../support/acting.ts";
import { Probe } from "../../support/probe.ts";
import { testSystem } from "../../support/system.ts";
import { settle } from "../../support/until.ts";

interface Question {
  readonly text: string;
  readonly replyTo: ReplyTo<string>;
}

function question(text: string): (replyTo: ReplyTo<string>) => Question {
  return (replyTo) => ({ text, replyTo });
}

/** The code of the failure that an ask must end with. */
function failure(asked: Promise<unknown>): Promise<string> {
  return asked.then(() => "answered", (error) => error.code ?? error.message);
}

Deno.test("An ask resolves with the first answer and leaves no timer", async () => {
  await using world = testSystem();
  const actor = world.system.spawn(acting<Question>(({ text, replyTo }) => {
    replyTo.reply(`${text} yes`);
    replyTo.reply(`${text} no`);
    replyTo.refuse(new Error("changed my mind"));
  }));
  assert.equal(await actor.ask(question("well"), { timeoutMs: 100 }), "well yes");
  assert.equal(world.clock.pending, 0);
});

Deno.test("An ask fails with the error it is refused with", async () => {
  await using world = testSystem();
  const actor = world.system.spawn(
    acting<Question>(({ replyTo }) => replyTo.refuse(new RangeError("too much"))),
  );
  await assert.rejects(actor.ask(question("?"), { timeoutMs: 100 }), RangeError);
});

Deno.test("An ask without an answer ends at its time limit, and a late answer is ignored", async () => {
  await using world = testSystem();
  let late: ReplyTo<string> | undefined;
  const actor = world.system.spawn(acting<Question>(({ replyTo }) => void (late = replyTo)));
  const asked = failure(actor.ask(question("?"), { timeoutMs: 100 }));
  await world.clock.advance(99);
  assert.equal(world.clock.pending, 1);
  await world.clock.advance(1);
  assert.equal(await asked, "ask_timeout");
  late?.reply("too late");
});

Deno.test("An ask that its asker gives up leaves no timer and no listener", async () => {
  await using world = testSystem();
  const actor = world.system.spawn(acting<Question>(() => {}));
  const giveUp = new AbortController();
  const asked = failure(actor.ask(question("?"), { timeoutMs: 100, signal: giveUp.signal }));
  giveUp.abort();
  assert.equal(await asked, "ask_aborted");
  assert.equal(world.clock.pending, 0);
  const again = actor.ask(question("?"), { timeoutMs: 100, signal: giveUp.signal });
  assert.equal(await failure(again), "ask_aborted");
});

Deno.test("An ask of a full actor is refused at once", async () => {
  await using world = testSystem();
  const actor = world.system.spawn(acting<Question>(() => {}, { mailboxMax: 1 }));
  const first = failure(actor.ask(question("1"), { timeoutMs: 100 }));
  assert.equal(await failure(actor.ask(question("2"), { timeoutMs: 100 })), "ask_refused");
  await world.clock.advance(100);
  assert.equal(await first, "ask_timeout");
});

Deno.test("An ask of a stopped actor fails at once", async () => {
  await using world = testSystem();
  const actor = world.system.spawn(acting<Question>(() => {}));
  await world.system.stop(actor);
  assert.equal(await failure(actor.ask(question("?"), { timeoutMs: 100 })), "ask_closed");
  assert.equal(world.clock.pending, 0);
});

Deno.test("An ask whose message makes the handler throw fails at once", async () => {
  await using world = testSystem();
  const actor = world.system.spawn(acting<Question>(() => {
    throw new Error("broken");
  }));
  const asked = actor.ask(question("?"), { timeoutMs: 100 });
  await assert.rejects(
    asked,
    ({ code, cause }) => code === "ask_failed" && cause.message === "broken",
  );
});

Deno.test("At a restart, asks that were handled fail and asks that wait are answered", async () => {
  await using world = testSystem();
  const actor = world.system.spawn(acting<Question>(({ text, replyTo }) => {
    if (text === "break") throw new Error("broken");
    if (text === "wait") replyTo.reply("answered after the restart");
  }));
  const held = failure(actor.ask(question("hold"), { timeoutMs: 60_000 }));
  const broken = failure(actor.ask(question("break"), { timeoutMs: 60_000 }));
  const waiting = actor.ask(question("wait"), { timeoutMs: 60_000 });
  assert.equal(await held, "ask_failed");
  assert.equal(await broken, "ask_failed");
  await world.clock.advance(1_000);
  assert.equal(await waiting, "answered after the restart");
  assert.equal(world.clock.pending, 0);
});

Deno.test("At a stop, asks fail unless the actor still answers them", async () => {
  await using world = testSystem();
  const held: Question[] = [];
  const actor = world.system.spawn(acting<Question>((asked) => void held.push(asked), {
    stopped: () => held[0]?.replyTo.reply("goodbye"),
  }));
  const answered = actor.ask(question("1"), { timeoutMs: 100 });
  const unanswered = failure(actor.ask(question("2"), { timeoutMs: 100 }));
  await settle();
  const unhandled = failure(actor.ask(question("3"), { timeoutMs: 100 }));
  await world.system.stop(actor);
  assert.equal(await answered, "goodbye");
  assert.equal(await unanswered, "ask_closed");
  assert.equal(await unhandled, "ask_closed");
  assert.equal(world.clock.pending, 0);
});

Deno.test("An ask whose message is dropped for a newer one fails at once", async () => {
  await using world = testSystem();
  const actor = world.system.spawn(
    acting<Question>(({ replyTo }) => replyTo.reply("yes"), {
      mailboxMax: 1,
      overflow: { type: "drop_oldest" },
    }),
  );
  const dropped = failure(actor.ask(question("1"), { timeoutMs: 100 }));
  const kept = actor.ask(question("2"), { timeoutMs: 100 });
  assert.equal(await dropped, "ask_refused");
  assert.equal(await kept, "yes");
});

Deno.test("An ask whose message cannot be made leaves no timer", async () => {
  await using world = testSystem();
  const probe = new Probe<Question>({ clock: world.clock });
  const making = () => {
    throw new TypeError("no message");
  };
  assert.throws(() => probe.ask(making, { timeoutMs: 100 }), TypeError);
  assert.equal(world.clock.pending, 0);
});
