import assert from "node:assert/strict";
import { asError } from "../../../actors/kernel/errors.ts";
import { invariant, unreachable } from "../../../actors/kernel/invariant.ts";

Deno.test("An invariant that holds says nothing, one that does not names the belief", () => {
  invariant(true, "this holds");
  assert.throws(() => invariant(false, "pigs fly"), {
    code: "invariant_broken",
    message: "Invariant broken: pigs fly",
  });
});

Deno.test("A forgotten case is named by its type, without the rest of the message", () => {
  const forgotten: unknown = { type: "new_case", secret: "s3cret" };
  assert.throws(() => unreachable(never(forgotten)), {
    message: 'Invariant broken: no case for "new_case"',
  });
  assert.throws(() => unreachable(never("a private word")), {
    message: "Invariant broken: no case for a string",
  });
});

Deno.test("Whatever is thrown becomes an Error that keeps it", () => {
  const error = new RangeError("mine");
  assert.equal(asError(error), error);
  const foreign = asError("just words");
  assert.deepEqual([foreign.message, foreign.cause], ["just words", "just words"]);
});

/** Gets a value past the type check, as a message from an older sender would. */
function never(value: unknown): never {
  return value as never;
}
