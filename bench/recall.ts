/**
 * How long recall takes over 100 MB of conversations, and what its index costs.
 * @module
 */

import { join } from "node:path";
import { seededRandom } from "../actors/kernel/random.ts";
import { RecallKeeper } from "../actors/memory/recall/adapters/recall_keeper.ts";
import { MemoryScope } from "../actors/memory/scope.ts";
import type { BenchRow } from "./bench_row.ts";
import { median, percentile } from "./stats.ts";

const TEXT_BYTES = 100_000_000;
const BYTES_PER_MB = 1_000_000;
const LINES_PER_SESSION = 1_000;
const WORDS = 40_000;
const ROUNDS = 5;
const SEARCH_MS_MAX = 50;
/** A message waits no longer for its memories. */
const REMIND_MS_MAX = 30;
const STEP_MS_MAX = 250;

/** Frequent characters of Chinese, the most frequent first. */
const CHARACTERS =
  "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里" +
  "用道行所然家种事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实" +
  "日军者意无力它与长把机十民第公此已工使情明性知全三又关点正业外将两高间由问很最重并物手应战向头文体政" +
  "美相见被利什二等产或新己制身果加西斯月话合回特代内信表化老给世位次度门任常先海通教儿原东声提立及比员";

/** Words of all frequencies, in both scripts; what separates them are stop words. */
const QUERIES: readonly string[] = [
  wordAt(30),
  wordAt(2_000),
  `${wordAt(300)} ${wordAt(9_000)}`,
  `what did we decide about the ${wordAt(700)} of the ${wordAt(20_000)}`,
  `where is the ${wordAt(5_000)} and who has the ${wordAt(100)} or ${wordAt(12_000)}`,
  "性情",
  "美相见",
  "月话 通教",
  "上次说的文体和声东在哪里",
  "帮我看一下重要事物的内外信任",
  "高间由",
  `${wordAt(400)} 战争 ${wordAt(1_500)} 家人`,
];

/** Measures searches and reminders, and the making of the index. */
export async function benchRecall(): Promise<BenchRow[]> {
  const folder = await Deno.makeTempDir({ prefix: "troupe-bench-" });
  try {
    const workspace = join(folder, "workspace");
    const bytes = writeConversations(workspace);
    const indexPath = join(folder, "recall.sqlite");
    const options = { workspace, indexPath, setting: "global", timezone: "UTC" } as const;
    using keeper = new RecallKeeper(options);
    return [...buildRows(keeper, bytes), ...askRows(keeper)];
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

function buildRows(keeper: RecallKeeper, bytes: number): BenchRow[] {
  const steps: number[] = [];
  const startMs = performance.now();
  for (let hasMore = true; hasMore;) {
    const stepMs = performance.now();
    hasMore = keeper.step();
    steps.push(performance.now() - stepMs);
  }
  const buildMs = performance.now() - startMs;
  const note = "in a Worker of its own; asked for once, and again after the cache was removed";
  return [
    {
      what: "recall: text indexed in a second",
      value: bytes / BYTES_PER_MB / (buildMs / 1_000),
      unit: "MB/s",
      budget: undefined,
      note,
    },
    {
      what: "recall: a step of it, which a search may wait for, p99",
      value: percentile(steps, 99),
      unit: "ms",
      budget: { atMost: STEP_MS_MAX },
      note: `${steps.length} steps`,
    },
  ];
}

function askRows(keeper: RecallKeeper): BenchRow[] {
  const scope = MemoryScope.global.folder;
  const visible = { sessionKey: "feishu:oc_0", sinceMs: 0 };
  let found = 0;
  const searches: number[] = [];
  const reminders: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    for (const text of QUERIES) {
      const search = () => keeper.search({ text, scope, limit: 10 }, 0);
      searches.push(timed(() => found += search().hits.length));
      reminders.push(timed(() => keeper.remind({ text, scope, visible, limit: 5 }, 0)));
    }
  }
  const over = `over ${TEXT_BYTES / BYTES_PER_MB} MB`;
  const asked = QUERIES.length * ROUNDS;
  const note = `${asked} of 1 to 13 words, English and Chinese; ${
    (found / asked).toFixed(1)
  } found by each`;
  return [
    {
      what: `recall: a search ${over}, p50`,
      value: median(searches),
      unit: "ms",
      budget: { atMost: SEARCH_MS_MAX },
      note,
    },
    {
      what: `recall: a search ${over}, p99`,
      value: percentile(searches, 99),
      unit: "ms",
      budget: undefined,
    },
    {
      what: `recall: what a message brings to mind ${over}, p50`,
      value: median(reminders),
      unit: "ms",
      budget: { atMost: REMIND_MS_MAX },
      note: "past 30 ms the message goes on without",
    },
  ];
}

function timed(work: () => unknown): number {
  const startMs = performance.now();
  work();
  return performance.now() - startMs;
}

/** Texts whose words are as frequent as in a language: the n-th one every n-th time. */
function writeConversations(workspace: string): number {
  const random = seededRandom(1);
  const pick = (count: number) => Math.floor(count ** random.next()) - 1;
  const english = () => wordAt(pick(WORDS));
  const chinese = () => [...CHARACTERS][pick(CHARACTERS.length)] ?? "";
  Deno.mkdirSync(join(workspace, "sessions"), { recursive: true });
  let bytes = 0;
  for (let chat = 0; bytes < TEXT_BYTES; chat++) {
    const lines = [{ _type: "metadata", key: `feishu:oc_${chat}` }, ...said(chat)];
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
    Deno.writeTextFileSync(join(workspace, `sessions/feishu_oc_${chat}.jsonl`), text);
    bytes += new TextEncoder().encode(text).length;
  }
  return bytes;

  function said(chat: number): unknown[] {
    return Array.from({ length: LINES_PER_SESSION }, (_, at) => {
      const isChinese = random.next() < 0.5;
      const length = 15 + Math.floor(random.next() * 60);
      const parts = Array.from({ length }, isChinese ? chinese : english);
      return {
        role: at % 2 === 0 ? "user" : "assistant",
        content: parts.join(isChinese ? "" : " "),
        timestamp: new Date(Date.UTC(2026, 0, 1) + at * 60_000).toISOString(),
        line_id: `${chat}_${at >> 1}:${at % 2}`,
      };
    });
  }
}

/** The n-th word: short ones first. */
function wordAt(index: number): string {
  const syllables: string[] = [];
  for (let rest = index + 75; rest > 0; rest = Math.floor(rest / 75)) {
    const syllable = rest % 75;
    syllables.push(`${"bdfgklmnprstvwz"[syllable % 15]}${"aeiou"[Math.floor(syllable / 15)]}`);
  }
  return syllables.join("");
}
