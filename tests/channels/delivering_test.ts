import assert from "node:assert/strict";
import { DeliveryError } from "../../channels/channel.ts";
import { asDeliveryError, type FailureMeaning } from "../../channels/delivering.ts";

function passing(): FailureMeaning {
  return { code: "delivery_transient", retryAfterMs: 7 };
}

function overflow(): unknown {
  const deeper = (): number => 1 + deeper();
  try {
    return deeper();
  } catch (error) {
    return error;
  }
}

Deno.test("A message that overflows the stack is tried once, and keeps nobody waiting", () => {
  const error = overflow();
  const failure = asDeliveryError(error, passing);
  assert.equal(failure.code, "delivery_permanent");
  assert.equal(failure.cause, error);
  assert.match(failure.message, /nested too deeply/);
});

Deno.test("Other failures are what the platform's part makes of them", () => {
  const failure = asDeliveryError(new RangeError("Invalid time value"), passing);
  assert.deepEqual([failure.code, failure.retryAfterMs], ["delivery_transient", 7]);
  assert.equal(asDeliveryError(failure, () => ({ code: "delivery_permanent" })), failure);
  assert.ok(failure instanceof DeliveryError);
});
