import assert from "node:assert/strict";
import { WaitingWork } from "../../../actors/session/waiting_work.ts";

const NOTHING = { commands: [], hasMoreCommands: false, hasMessages: false };

/** The work of a session that was woken, and how often it has looked since. */
function awake(): { readonly work: WaitingWork; readonly looks: () => number } {
  let looks = 0;
  const work = new WaitingWork(() => looks += 1);
  work.looked(NOTHING);
  return { work, looks: () => looks };
}

Deno.test("WaitingWork looks once more when it is asked to while a look is under way", () => {
  const { work, looks } = awake();
  work.look();
  work.look();
  assert.equal(looks(), 1);
  work.lookAgain();
  assert.equal(looks(), 1, "the look is still under way");
  work.looked(NOTHING);
  work.lookAgain();
  assert.equal(looks(), 2);
});

Deno.test("WaitingWork does not look again when the last look saw all", () => {
  const { work, looks } = awake();
  work.look();
  work.looked({ ...NOTHING, hasMessages: true });
  work.lookAgain();
  assert.equal(looks(), 1);
  assert.equal(work.mayHaveMessages, true);
  assert.equal(work.isLooking, false);
});

Deno.test("WaitingWork looks again when a look left commands behind", () => {
  const { work, looks } = awake();
  work.look();
  work.looked({ ...NOTHING, hasMoreCommands: true });
  work.lookAgain();
  assert.equal(looks(), 2);
});

Deno.test("WaitingWork counts waking as its first look", () => {
  let looks = 0;
  const work = new WaitingWork(() => looks += 1);
  assert.equal(work.isLooking, true);
  work.look();
  assert.equal(looks, 0);
  work.looked(NOTHING);
  work.lookAgain();
  assert.equal(looks, 1, "what came while it woke may not have been seen");
});
