import assert from "node:assert/strict";
import { LinkedSignal } from "../../../actors/kernel/linked_signal.ts";

/** A signal that counts who listens. */
function countedSource(): { readonly controller: AbortController; listeners(): number } {
  const controller = new AbortController();
  const { signal } = controller;
  let listeners = 0;
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  signal.addEventListener = (type: string, listener: EventListenerOrEventListenerObject) => {
    listeners++;
    add(type, listener);
  };
  signal.removeEventListener = (type: string, listener: EventListenerOrEventListenerObject) => {
    listeners--;
    remove(type, listener);
  };
  return { controller, listeners: () => listeners };
}

Deno.test.each([0, 1, 2])("LinkedSignal aborts with the reason of source %s", (index) => {
  const sources = [new AbortController(), new AbortController(), new AbortController()];
  using linked = new LinkedSignal(...sources.map(({ signal }) => signal));
  assert.equal(linked.signal.aborted, false);
  const reason = new Error("enough");
  sources[index]?.abort(reason);
  assert.equal(linked.signal.reason, reason);
});

Deno.test("LinkedSignal keeps the first reason", () => {
  const [first, second] = [new AbortController(), new AbortController()];
  using linked = new LinkedSignal(first.signal, second.signal);
  second.abort("second");
  first.abort("first");
  assert.equal(linked.signal.reason, "second");
});

Deno.test("LinkedSignal is aborted from the start by a source that is", () => {
  using linked = new LinkedSignal(new AbortController().signal, AbortSignal.abort("before"));
  assert.equal(linked.signal.reason, "before");
});

Deno.test("LinkedSignal hears nothing after it was disposed, and leaves nothing behind", () => {
  const source = countedSource();
  const linked = new LinkedSignal(source.controller.signal);
  assert.equal(source.listeners(), 1);
  linked[Symbol.dispose]();
  assert.equal(source.listeners(), 0);
  source.controller.abort();
  assert.equal(linked.signal.aborted, false);
});

Deno.test("LinkedSignal lets the other sources go when one aborts", () => {
  const [long, short] = [countedSource(), new AbortController()];
  using linked = new LinkedSignal(long.controller.signal, short.signal);
  short.abort();
  assert.equal(linked.signal.aborted, true);
  assert.equal(long.listeners(), 0);
});
