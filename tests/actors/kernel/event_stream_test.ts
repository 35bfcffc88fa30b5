import assert from "node:assert/strict";
import {
  openEventPublisher,
  subscribeToEvents,
} from "../../../actors/kernel/adapters/event_channel.ts";
import {
  type EventGap,
  EventPublisher,
  EventSubscriber,
  type NumberedEvent,
} from "../../../actors/kernel/event_stream.ts";
import { until } from "../../support/until.ts";

/** Words are the events of these tests. */
function parseWord(event: unknown): string | undefined {
  return typeof event === "string" ? event : undefined;
}

function subscriber() {
  const events: string[] = [];
  const gaps: EventGap[] = [];
  const receiver = new EventSubscriber<string>({
    parse: parseWord,
    onEvent: (event, sender) => void events.push(`${sender}: ${event}`),
    onGap: (gap) => void gaps.push(gap),
  });
  return { events, gaps, receiver };
}

Deno.test("EventPublisher numbers its events from 1", () => {
  const posted: NumberedEvent<string>[] = [];
  const publisher = new EventPublisher<string>("s1", (event) => void posted.push(event));
  publisher.publish("a");
  publisher.publish("b");
  assert.deepEqual(posted, [
    { sender: "s1", sequence: 1, event: "a" },
    { sender: "s1", sequence: 2, event: "b" },
  ]);
});

Deno.test("EventSubscriber reports what it missed of each sender", () => {
  const { events, gaps, receiver } = subscriber();
  receiver.receive({ sender: "s1", sequence: 7, event: "joined late" });
  receiver.receive({ sender: "s2", sequence: 1, event: "from the start" });
  receiver.receive({ sender: "s1", sequence: 8, event: "next" });
  receiver.receive({ sender: "s1", sequence: 11, event: "after a gap" });
  receiver.receive({ sender: "s2", sequence: 2, event: "undisturbed" });
  assert.equal(events.length, 5);
  assert.deepEqual(gaps, [{ sender: "s1", missed: 2 }]);
});

Deno.test("EventSubscriber takes an event once", () => {
  const { events, receiver } = subscriber();
  receiver.receive({ sender: "s1", sequence: 2, event: "once" });
  receiver.receive({ sender: "s1", sequence: 2, event: "once" });
  receiver.receive({ sender: "s1", sequence: 1, event: "before" });
  assert.deepEqual(events, ["s1: once"]);
});

Deno.test.each([
  undefined,
  "word",
  { sender: 1, sequence: 1, event: "word" },
  { sender: "s1", sequence: "1", event: "word" },
  { sender: "s1", sequence: 1 },
  { sender: "s1", sequence: 1, event: 5 },
])("EventSubscriber ignores %j", (data) => {
  const { events, receiver } = subscriber();
  receiver.receive(data);
  assert.deepEqual(events, []);
});

Deno.test("EventSubscriber remembers a bounded number of senders", () => {
  const { gaps, receiver } = subscriber();
  receiver.receive({ sender: "first", sequence: 1, event: "a" });
  for (let sender = 0; sender < 1_000; sender++) {
    receiver.receive({ sender: `s${sender}`, sequence: 1, event: "a" });
  }
  receiver.receive({ sender: "first", sequence: 9, event: "forgotten, so no gap" });
  assert.deepEqual(gaps, []);
});

Deno.test("Events reach the listeners of their channel, and gaps of a burst show", async () => {
  const name = `troupe.test.${crypto.randomUUID()}`;
  let received = 0;
  let missed = 0;
  let isLast = false;
  using _subscription = subscribeToEvents<string>({
    parse: parseWord,
    onEvent: (event) => {
      received++;
      isLast ||= event === "last";
    },
    onGap: (gap) => missed += gap.missed,
  }, name);
  using publisher = openEventPublisher<string>("s1", name);
  publisher.publish("first");
  await until(() => received === 1);
  for (let event = 0; event < 1_000; event++) publisher.publish("burst");
  await until(() => {
    if (!isLast) publisher.publish("last");
    return isLast;
  });
  assert.ok(received + missed >= 1_002, `${received} received, ${missed} missed`);
});
