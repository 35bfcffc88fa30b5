import assert from "node:assert/strict";
import type { Journal } from "../../actors/journal/journal.ts";
import { brokenLaws } from "./laws.ts";
import type { Sabotage } from "./sabotage.ts";
import { runWorld } from "./world.ts";

/** Worlds in which a planted fault must show. */
const SEEDS = 30;

/** The same journal with some of its methods replaced. */
function changed(journal: Journal, change: Partial<Journal>): Journal {
  return new Proxy(journal, {
    get(target, name) {
      const own = Reflect.get(change, name);
      const value = own ?? Reflect.get(target, name);
      return typeof value === "function" ? value.bind(own === undefined ? target : change) : value;
    },
  });
}

let count = 0;

/** Faults, each with a law that must notice it. */
const PLANTED: readonly (readonly [fault: string, law: string, sabotage: Sabotage])[] = [
  ["a journal that takes duplicates in", "takesEachMessageInOnce", {
    journal: (journal) =>
      changed(journal, {
        accept: (inbound) =>
          journal.accept({ ...inbound, platformId: `${inbound.platformId}-${++count}` }),
      }),
  }],
  ["a journal that forgets what waits", "bringsEachMessageToAnEnd", {
    journal: (journal) =>
      changed(journal, {
        waiting: async (...args) =>
          (await journal.waiting(...args)).filter(({ seq }) => seq % 5 !== 0),
      }),
  }],
  ["a journal that drops the ends of messages", "answersEachMessageOnce", {
    journal: (journal) =>
      changed(journal, {
        commit: ({ outbounds, ...step }) =>
          journal.commit({
            ...step,
            ...(outbounds && { outbounds: outbounds.map((row) => ({ ...row, settles: [] })) }),
          }),
      }),
  }],
  ["a gate that grants too many permits", "wasNeverBroken", {
    permitsMax: (permitsMax) => permitsMax === 0 ? 0 : permitsMax + 1,
  }],
  ["a gate that lets late ones first", "wasNeverBroken", {
    gate: (gate) => {
      const held: Parameters<typeof gate.tell>[0][] = [];
      return {
        ...gate,
        name: gate.name,
        ask: (makeMessage, options) => gate.ask(makeMessage, options),
        tell: (message) => {
          if (message.type === "request_permit" && held.length === 0 && ++count % 3 === 0) {
            held.push(message);
            return "taken";
          }
          const result = gate.tell(message);
          for (const late of held.splice(0)) gate.tell(late);
          return result;
        },
      };
    },
  }],
  ["an outbox that drops rows", "bringsEachRowToAnEnd", {
    outbox: (outbox) => ({
      name: outbox.name,
      ask: (makeMessage, options) => outbox.ask(makeMessage, options),
      tell: (message) =>
        message.type === "row_committed" && message.row.id % 4 === 0
          ? "taken"
          : outbox.tell(message),
    }),
  }],
  ["a store that files lines twice", "filesEachLineOnce", {
    files: (files) => ({
      read: (name) => files.read(name),
      replace: (name, text) => files.replace(name, text),
      remove: (name) => files.remove(name),
      append: async (name, text) => {
        await files.append(name, text);
        if (++count % 7 === 0) await files.append(name, text);
      },
    }),
  }],
  ["a store that loses lines", "filesEachLineOnce", {
    files: (files) => ({
      read: (name) => files.read(name),
      replace: (name, text) => files.replace(name, text),
      remove: (name) => files.remove(name),
      append: async (name, text) => {
        if (++count % 7 !== 0) await files.append(name, text);
      },
    }),
  }],
  ["tools that run twice", "runsNoToolTwice", {
    tools: (tools) => ({
      definitions: () => tools.definitions(),
      concurrency: (name) => tools.concurrency(name),
      run: async (name, parameters, context) => {
        await tools.run(name, parameters, context);
        return await tools.run(name, parameters, context);
      },
    }),
  }],
  ["exclusive tools that run side by side", "wasNeverBroken", {
    tools: (tools) => ({
      definitions: () => tools.definitions(),
      concurrency: () => "shared",
      run: (name, parameters, context) => tools.run(name, parameters, context),
    }),
  }],
  ["a channel that uses a new key for each attempt", "showsOnlyWhatWasSaid", {
    channel: (channel) => ({
      isStreaming: channel.isStreaming,
      run: () => channel.run(),
      deliver: (delivery, signal) =>
        channel.deliver({ ...delivery, key: `${delivery.key}-${++count}` }, signal),
    }),
  }],
  ["a channel that sends to the wrong chat", "showsOnlyWhatWasSaid", {
    channel: (channel) => ({
      isStreaming: channel.isStreaming,
      run: () => channel.run(),
      deliver: (delivery, signal) => channel.deliver({ ...delivery, chatId: "chat1" }, signal),
    }),
  }],
  ["a channel that says sent and sends nothing", "showsWhatWasSaid", {
    channel: (channel) => ({
      isStreaming: channel.isStreaming,
      run: () => channel.run(),
      deliver: (delivery, signal) =>
        ++count % 5 === 0 ? Promise.resolve({ messageIds: [] }) : channel.deliver(delivery, signal),
    }),
  }],
  ["a model that hears only the first of the messages", "answersWhatWasAsked", {
    provider: (provider) => ({
      name: provider.name,
      chat: (request, signal) =>
        provider.chat({ ...request, messages: request.messages.slice(0, 2) }, signal),
    }),
  }],
];

Deno.test.each(PLANTED)("The laws notice %s", async (_fault, law, sabotage) => {
  const broken = new Set<string>();
  for (let seed = 1; seed <= SEEDS && !broken.has(law); seed++) {
    for (const breach of brokenLaws(await runWorld(seed, { sabotage }))) {
      broken.add(breach.split(":")[0] ?? "");
    }
  }
  assert.ok(broken.has(law), `"${law}" is broken; broken are: ${[...broken].join(", ")}`);
});
