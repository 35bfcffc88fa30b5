/**
 * A core over a journal in which messages wait, in a process of its own: prints, as JSON, what it
 * takes up while a model that never answers lets them wait. Run with `--v8-flags=--expose-gc`, the
 * number of messages and the home folder. The folder of a first run that only fills it: `fill`.
 * @module
 */

import { join } from "node:path";
import { systemConfigSource } from "../actors/config/adapters/system_source.ts";
import { loadConfig } from "../actors/config/load_config.ts";
import { openSqliteJournal } from "../actors/journal/sqlite_journal.ts";
import { nextTurn } from "../actors/kernel/adapters/event_loop.ts";
import { systemClock } from "../actors/kernel/adapters/system_clock.ts";
import { House, HOUSE_CHANNEL } from "./house.ts";

/** Sessions that the router keeps awake are full with either number of messages. */
const CHATS_MIN = 1_000;
const MESSAGES_PER_CHAT = 10;
const ACCEPTED_AT_ONCE = 500;
/** Until all that will be awake is, and the engine has given its garbage back. */
const SETTLE_MS = 45_000;
const CONTENT = "How is the weather in Shanghai today, and do I need an umbrella? ".repeat(4);

async function fill(home: string, messages: number): Promise<void> {
  const source = systemConfigSource({ TROUPE_HOME: home, HOME: home });
  const { locations } = await loadConfig({ source, manifests: [] });
  await using journal = openSqliteJournal({
    path: join(locations.stateFolder, "journal.sqlite"),
    clock: systemClock,
    defer: nextTurn,
  });
  const chats = Math.max(CHATS_MIN, messages / MESSAGES_PER_CHAT);
  for (let first = 0; first < messages; first += ACCEPTED_AT_ONCE) {
    await Promise.all(Array.from({ length: ACCEPTED_AT_ONCE }, (_, index) => {
      const chatId = `chat_${(first + index) % chats}`;
      return journal.accept({
        channel: HOUSE_CHANNEL,
        platformId: `m${first + index}`,
        sessionKey: `${HOUSE_CHANNEL}:${chatId}`,
        chatId,
        senderId: chatId,
        content: CONTENT,
        media: [],
        context: {},
        wantsStream: true,
      });
    }));
  }
}

async function measure(home: string): Promise<void> {
  const gc: unknown = Reflect.get(globalThis, "gc");
  if (typeof gc !== "function") throw new Error("Cannot measure: run with --v8-flags=--expose-gc");
  const { promise: never } = Promise.withResolvers<void>();
  const startMs = performance.now();
  await House.open({ home, permitsMax: 3, thinks: () => never });
  const openMs = performance.now() - startMs;
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  for (let round = 0; round < 3; round++) gc();
  const { heapUsed: heap, rss } = Deno.memoryUsage();
  await Deno.stdout.write(new TextEncoder().encode(`${JSON.stringify({ openMs, heap, rss })}\n`));
  Deno.exit(0); // its turns never end
}

if (import.meta.main) {
  const [what, messages, home] = Deno.args;
  if (home === undefined) throw new Error("usage: backlog_process.ts fill|measure MESSAGES HOME");
  if (what === "fill") await fill(home, Number(messages));
  else await measure(home);
}
