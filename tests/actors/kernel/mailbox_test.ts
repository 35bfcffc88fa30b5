import assert from "node:assert/strict";
import fc from "fast-check";
import { Mailbox, OwnMessage } from "../../../actors/kernel/mailbox.ts";

Deno.test("Mailbox gives messages back in the order they came, however it grew", () => {
  const mailbox = new Mailbox<number>();
  for (let value = 0; value < 3; value++) mailbox.push(value);
  assert.equal(mailbox.shift(), 0);
  for (let value = 3; value < 3_000; value++) mailbox.push(value);
  const rest = Array.from({ length: mailbox.size }, () => mailbox.shift());
  assert.deepEqual(rest, Array.from({ length: 2_999 }, (_, index) => index + 1));
});

Deno.test("Mailbox refuses to give what it does not hold", () => {
  const mailbox = new Mailbox<number>();
  assert.throws(() => mailbox.shift(), { code: "invariant_broken" });
  mailbox.pushOwn(new OwnMessage(1, {}));
  assert.throws(() => mailbox.shiftTold(), { code: "invariant_broken" });
});

Deno.test("Mailbox merges into the newest told message that accepts it", () => {
  const mailbox = new Mailbox<string>();
  mailbox.push("a1");
  mailbox.push("a2");
  mailbox.push("b1");
  mailbox.pushOwn(new OwnMessage("a3", {}));
  const sameLetter = (waiting: string, incoming: string) =>
    waiting[0] === incoming[0] ? `${waiting}+${incoming}` : undefined;
  assert.equal(mailbox.mergeNewest("a4", sameLetter), true);
  assert.equal(mailbox.mergeNewest("c1", sameLetter), false);
  assert.deepEqual([...mailbox.waiting()], ["a1", "a2+a4", "b1"]);
});

type Step =
  | { readonly type: "push" | "push_own"; readonly value: number }
  | { readonly type: "shift" | "shift_told" };

const steps = fc.array(
  fc.oneof(
    fc.record({
      type: fc.constantFrom("push" as const, "push_own" as const),
      value: fc.nat(),
    }),
    fc.record({ type: fc.constantFrom("shift" as const, "shift_told" as const) }),
  ),
  { maxLength: 200 },
);

Deno.test("Mailbox behaves like a plain list under any use", () => {
  fc.assert(fc.property(steps, (script) => {
    const mailbox = new Mailbox<number>();
    const list: { value: number; isOwn: boolean }[] = [];
    for (const step of script) applyStep(step, mailbox, list);
    assert.equal(mailbox.size, list.length);
    assert.deepEqual(
      [...mailbox.waiting()],
      list.filter(({ isOwn }) => !isOwn).map(({ value }) => value),
    );
  }));
});

function applyStep(
  step: Step,
  mailbox: Mailbox<number>,
  list: { value: number; isOwn: boolean }[],
): void {
  switch (step.type) {
    case "push":
      mailbox.push(step.value);
      list.push({ value: step.value, isOwn: false });
      return;
    case "push_own":
      mailbox.pushOwn(new OwnMessage(step.value, list));
      list.push({ value: step.value, isOwn: true });
      return;
    case "shift": {
      if (list.length === 0) return;
      const entry = mailbox.shift();
      const value = entry instanceof OwnMessage ? entry.message : entry;
      return assert.equal(value, list.shift()?.value);
    }
    case "shift_told": {
      const index = list.findIndex(({ isOwn }) => !isOwn);
      if (index < 0) return;
      return assert.equal(mailbox.shiftTold(), list.splice(index, 1)[0]?.value);
    }
  }
}
