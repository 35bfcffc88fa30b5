/**
 * One backend in a process of its own. `load <provider>` prints milliseconds and bytes of memory
 * that loading it takes; `read <provider> <url>` prints seconds of one core and growth in bytes
 * that reading one answer takes, from the tenth part of it on. Run with `--v8-flags=--expose-gc`.
 * @module
 */

import process from "node:process";
import { systemClock, systemNewId } from "../actors/kernel/adapters/system_clock.ts";
import { loadBackend } from "../providers/backends.ts";
import { chooseProvider } from "../providers/choice.ts";
import type { Provider } from "../providers/provider.ts";

const STALL_MS = 60_000;

function load(provider: string, apiBase: string): Promise<Provider> {
  const section = { apiKey: "k", apiBase, apiType: "responses" } as const;
  const choice = chooseProvider({
    model: "m",
    provider,
    providers: { [provider]: provider === "openai" ? section : { apiKey: "k", apiBase } },
  });
  if (choice.state !== "chosen") throw new Error(`Cannot load "${provider}": ${choice.state}`);
  return loadBackend(choice, {
    clock: systemClock,
    newId: systemNewId,
    stallMs: STALL_MS,
    stateFolder: "/nonexistent",
  });
}

function memoryBytes(): number {
  const gc: unknown = Reflect.get(globalThis, "gc");
  if (typeof gc !== "function") throw new Error("Cannot measure: run with --v8-flags=--expose-gc");
  gc();
  return Deno.memoryUsage().rss;
}

async function measureLoad(provider: string): Promise<readonly number[]> {
  const beforeBytes = memoryBytes();
  const startMs = performance.now();
  await load(provider, "http://127.0.0.1:1/v1");
  const loadMs = performance.now() - startMs;
  return [loadMs, memoryBytes() - beforeBytes];
}

async function measureRead(provider: string, url: string): Promise<readonly number[]> {
  const words = Number(new URL(url).pathname.split("/")[1]);
  const backend = await load(provider, url);
  const request = {
    model: "m",
    messages: [{ role: "user", content: "hi" }],
    tools: [],
    tokensMax: 100,
    temperature: 0,
    reasoningEffort: null,
    conversationId: "bench",
  } as const;
  let seen = 0;
  let startUs = 0;
  let beforeBytes = 0;
  for await (const event of backend.chat(request, new AbortController().signal)) {
    if (event.type === "failed") throw event.error;
    if (event.type !== "text") continue;
    if (++seen !== words / 10) continue;
    beforeBytes = memoryBytes();
    startUs = cpuUs();
  }
  if (seen !== words) throw new Error(`Cannot measure: ${seen} of ${words} words came`);
  const seconds = (cpuUs() - startUs) / 1_000_000;
  return [seconds, memoryBytes() - beforeBytes];
}

/** Microseconds of all threads: the clock on the wall counts what others do on the machine, too. */
function cpuUs(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

const [mode, provider = "", url = ""] = Deno.args;
const figures = mode === "load" ? await measureLoad(provider) : await measureRead(provider, url);
await Deno.stdout.write(new TextEncoder().encode(`${figures.join(" ")}\n`));
Deno.exit(0);
