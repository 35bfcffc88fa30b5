import assert from "node:assert/strict";
import type {
  Channel,
  ChannelInbound,
  ConnectionState,
  Delivery,
  Settled,
} from "../../../channels/channel.ts";
import {
  type TerminalEvent,
  type TerminalPlace,
  terminalPlace,
} from "../../../channels/cli/terminal_events.ts";
import { TerminalHub } from "../../../channels/cli/terminal_hub.ts";
import {
  systemClock,
  systemNewId,
  systemRandom,
} from "../../../actors/kernel/adapters/system_clock.ts";
import type { JsonObject } from "../../../actors/kernel/json.ts";

/** A hub with a gateway of the test behind it. */
function startHub() {
  const hub = new TerminalHub();
  const handedIn: ChannelInbound[] = [];
  const states: ConnectionState["state"][] = [];
  const channel: Channel = hub.local.create({
    name: "cli",
    clock: systemClock,
    random: systemRandom,
    newId: systemNewId,
    mediaFolder: "/nowhere",
    signal: new AbortController().signal,
    handIn: (inbound) => {
      handedIn.push(inbound);
      return Promise.resolve("accepted");
    },
    complete: () => Promise.resolve(),
    drafts: () => Promise.resolve([]),
    withdraw: () => Promise.resolve(),
    transcribe: () => Promise.resolve({ state: "off" }),
    remember: () => Promise.resolve(),
    rememberInbound: () => Promise.resolve(),
    readCursor: () => Promise.resolve(null),
    keepCursor: () => Promise.resolve(),
    report: ({ state }) => states.push(state),
  });
  const deliver = (changes: Partial<Delivery>) =>
    channel.deliver({
      key: "k",
      chatId: "direct",
      phase: "final",
      text: "answer",
      isPlain: false,
      activity: "",
      media: [],
      context: {},
      channelState: null,
      settles: [],
      ...changes,
    }, new AbortController().signal);
  return { hub, handedIn, states, deliver };
}

function attach(hub: TerminalHub, place: TerminalPlace, wantsMissed = false) {
  const events: TerminalEvent[] = [];
  const link = hub.attach({ place, wantsMissed, onEvent: (event) => events.push(event) });
  const said = (): string[] =>
    events.map((event) =>
      event.type === "shown" ? event.text : `${event.platformId} ${event.outcome}`
    );
  return { link, said };
}

function settled(platformId: string): Settled {
  return { platformId, outcome: "done", channelState: null };
}

const DIRECT = terminalPlace(undefined);

Deno.test.each<[string | undefined, TerminalPlace]>([
  [undefined, { chatId: "direct", sessionKey: null }],
  ["", { chatId: "direct", sessionKey: null }],
  ["work", { chatId: "work", sessionKey: "cli:work" }],
  ["cli:work", { chatId: "work", sessionKey: "cli:work" }],
  ["cli:a:b", { chatId: "a:b", sessionKey: "cli:a:b" }],
  ["cli:", { chatId: "direct", sessionKey: "cli:" }],
  ["feishu:oc_1", { chatId: "direct", sessionKey: "feishu:oc_1" }],
])("Session %s is a place", (session, place) => {
  assert.deepEqual(terminalPlace(session), place);
});

Deno.test("A terminal sees the answer to what it said, and another session does not", async () => {
  const { hub, handedIn, deliver } = startHub();
  const one = attach(hub, DIRECT);
  const other = attach(hub, terminalPlace("work"));
  assert.equal(await one.link.say({ platformId: "m1", content: "hi" }), "accepted");
  const context: JsonObject = handedIn[0]?.context ?? {};
  await deliver({ context, phase: "growing", text: "an" });
  await deliver({ context, settles: [settled("m1")] });
  assert.deepEqual(one.said(), ["an", "answer", "m1 done"]);
  assert.deepEqual(other.said(), []);
});

Deno.test("Two terminals that are answered together both see it", async () => {
  const { hub, handedIn, deliver } = startHub();
  const [one, other] = [attach(hub, DIRECT), attach(hub, DIRECT)];
  await one.link.say({ platformId: "m1", content: "a" });
  await other.link.say({ platformId: "m2", content: "b" });
  await deliver({ context: handedIn[0]?.context ?? {}, settles: [settled("m1"), settled("m2")] });
  assert.deepEqual(one.said(), ["answer", "m1 done"]);
  assert.deepEqual(other.said(), ["answer", "m2 done"]);
});

Deno.test("What nobody asked for goes to all who look at the conversation", async () => {
  const { hub, deliver } = startHub();
  const [one, other, third] = [DIRECT, DIRECT, terminalPlace("work")].map((place) =>
    attach(hub, place)
  );
  await deliver({ text: "a reminder" });
  assert.deepEqual([one, other, third].map((terminal) => terminal?.said()), [
    ["a reminder"],
    ["a reminder"],
    [],
  ]);
});

Deno.test("The answer for a terminal that left waits for the next one that wants it", async () => {
  const { hub, handedIn, deliver } = startHub();
  const gone = attach(hub, DIRECT);
  await gone.link.say({ platformId: "m1", content: "slow" });
  gone.link[Symbol.dispose]();
  const context = handedIn[0]?.context ?? {};
  await deliver({ context, phase: "growing", text: "an" });
  await deliver({ context, settles: [settled("m1")] });
  assert.deepEqual(gone.said(), []);
  assert.deepEqual(attach(hub, terminalPlace("work"), true).said(), []);
  assert.deepEqual(attach(hub, DIRECT).said(), []);
  assert.deepEqual(attach(hub, DIRECT, true).said(), ["answer"]);
  assert.deepEqual(attach(hub, DIRECT, true).said(), []);
});

Deno.test("The hub keeps no more than 50 missed answers, the newest ones", async () => {
  const { hub, deliver } = startHub();
  for (let n = 0; n < 60; n++) await deliver({ text: `${n}` });
  const texts = attach(hub, DIRECT, true).said();
  assert.deepEqual([texts.length, texts[0], texts.at(-1)], [50, "10", "59"]);
});

Deno.test("A hub whose person has gone for good is no way to anybody", () => {
  const { hub, states } = startHub();
  hub.leave();
  assert.deepEqual(states, ["connecting"]);
});
