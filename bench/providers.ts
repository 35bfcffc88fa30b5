/**
 * What talking to models costs: reading streams, and loading the code that does.
 * @module
 */

import { fileURLToPath } from "node:url";
import type { BenchRow } from "./bench_row.ts";
import { median } from "./stats.ts";

/** Words of an answer whose memory is measured. */
const WORDS = 1_000_000;
const ROUNDS = 3;
const MEGABYTE = 1_000_000;

/** Backends that read, each with a protocol of its own. */
const READERS: readonly (readonly [provider: string, what: string])[] = [
  ["custom", "chat completions"],
  ["openai", "Responses"],
  ["anthropic", "Anthropic's Messages"],
];
/** What the libraries alone take to be imported on a quiet machine, at the peak of memory. */
const SDK = "with the SDK of OpenAI, which alone takes 76 ms and 24 MB";
const NO_SDK = "without an SDK; the parser of events alone takes 2 ms and 3 MB";
const LOADED: readonly (readonly [provider: string, note: string])[] = [
  ["custom", SDK],
  ["openai", SDK],
  ["azureOpenai", SDK],
  ["githubCopilot", SDK],
  ["anthropic", NO_SDK],
  ["openaiCodex", NO_SDK],
];

/** Measures the backends, each in a process of its own; takes about a minute. */
export async function benchProviders(): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  await using model = await startModel();
  for (const [provider, what] of READERS) {
    const url = `http://127.0.0.1:${model.port}/${WORDS}`;
    const rounds: (readonly [number, number])[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      rounds.push(await measure("read", provider, url));
    }
    const seconds = median(rounds.map(([taken]) => taken));
    const growth = median(rounds.map(([, bytes]) => bytes));
    rows.push(
      {
        what: `chunks of a stream read, ${what}`,
        value: Math.round(WORDS * 0.9 / seconds),
        unit: "/s",
        budget: { atLeast: 100_000 },
        note: "by one core: CPU time of the process, reading from the socket included",
      },
      {
        what: `memory grown over the last 900,000 of 1,000,000 chunks (5 MB of text), ${what}`,
        value: Math.round(growth / MEGABYTE),
        unit: "MB",
        budget: { atMost: 30 },
      },
    );
  }
  for (const [provider, note] of LOADED) rows.push(...await measureLoading(provider, note));
  return rows;
}

async function measureLoading(provider: string, note: string): Promise<BenchRow[]> {
  const rounds: (readonly [number, number])[] = [];
  for (let round = 0; round < ROUNDS; round++) rounds.push(await measure("load", provider));
  return [
    {
      what: `loading the backend for ${provider}: time`,
      value: Math.round(median(rounds.map(([taken]) => taken))),
      unit: "ms",
      budget: undefined,
      note,
    },
    {
      what: `loading the backend for ${provider}: memory`,
      value: Math.round(median(rounds.map(([, bytes]) => bytes)) / MEGABYTE),
      unit: "MB",
      budget: undefined,
    },
  ];
}

interface Model extends AsyncDisposable {
  readonly port: number;
}

async function startModel(): Promise<Model> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--allow-net=127.0.0.1", pathOf("./provider_model.ts")],
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const reader = child.stdout.getReader();
  const { value } = await reader.read();
  return {
    port: Number(new TextDecoder().decode(value)),
    async [Symbol.asyncDispose](): Promise<void> {
      child.kill();
      await child.status;
      await reader.cancel();
    },
  };
}

/** In a process of its own, where nothing is loaded yet and garbage can be collected on demand. */
async function measure(...args: readonly string[]): Promise<readonly [number, number]> {
  const { success, stdout } = await new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "-A",
      "--cached-only",
      "--v8-flags=--expose-gc",
      pathOf("./provider_process.ts"),
      ...args,
    ],
    stderr: "inherit",
  }).output();
  if (!success) throw new Error(`Cannot measure ${args.join(" ")}: its process failed`);
  const [first = NaN, second = NaN] = new TextDecoder().decode(stdout).split(" ").map(Number);
  return [first, second];
}

function pathOf(file: string): string {
  return fileURLToPath(new URL(file, import.meta.url));
}
