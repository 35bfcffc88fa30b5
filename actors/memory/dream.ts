/**
 * Dream: turns summaries of conversations into long-term memory, batch by batch. A batch is either
 * digested whole, or it waits.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import type { ChatMessage } from "../../providers/provider.ts";
import type { Clock } from "../kernel/clock.ts";
import { localMinute } from "../kernel/local_time.ts";
import { askOnce } from "./ask_once.ts";
import { DREAM_TOOLS, DreamDraft } from "./dream_draft.ts";
import {
  ANALYSIS_PROMPT,
  analysisQuestion,
  EDIT_PROMPT,
  editQuestion,
  isNothingToDo,
  type MarkUntrusted,
} from "./dream_prompts.ts";
import { MemoryError } from "./errors.ts";
import { cut } from "./history_file.ts";
import type { DreamBatch, MemoryKeeper } from "./memory_keeper.ts";
import type { DreamModel, DreamSkills } from "./ports.ts";
import type { DreamOutcome } from "./protocol.ts";
import { type MemoryFileName, type MemoryScope, PROPOSED_SKILLS } from "./scope.ts";

const logger = getLogger(["troupe", "memory", "dream"]);

/** Batches of one run, over all scopes: a long backlog takes several runs. */
const BATCHES_PER_RUN_MAX = 10;

/** Of one entry, whoever wrote it. */
const ENTRY_CHARS_MAX = 64_000;

/** How Dream works. */
export interface DreamSettings {
  /** Entries of one batch. */
  readonly batchMax: number;
  /** Model calls of one second phase. */
  readonly iterationsMax: number;
  /** Marks old lines of MEMORY.md for the model. */
  readonly annotatesLineAges: boolean;
  /** IANA name. */
  readonly timezone: string;
}

/** What a run needs. */
export interface DreamOptions {
  readonly keeper: MemoryKeeper;
  readonly model: DreamModel;
  readonly settings: DreamSettings;
  readonly mark: MarkUntrusted;
  readonly skills: DreamSkills;
  readonly clock: Clock;
}

/** A batch that was digested, or why it was not. */
type BatchOutcome =
  | {
    readonly state: "done";
    readonly version: string | null;
    readonly proposals: readonly string[];
  }
  | { readonly state: "failed"; readonly reason: string };

/**
 * Digests what waits, in all scopes. A failure ends the scope in which it happens, so that nobody's
 * files keep the memory of others waiting; what was digested before stays so.
 *
 * @throws the signal's reason when it aborts; {MemoryError} where there are no scopes to be found
 */
export async function dream(options: DreamOptions, signal: AbortSignal): Promise<DreamOutcome> {
  const { keeper } = options;
  const run: Run = { versions: [], proposals: [], entries: 0, left: 0, batches: 0 };
  let failure: string | null = null;
  for (const scope of await keeper.scopes()) {
    const reason = await digestScope(options, { scope, run }, signal);
    if (reason === null) continue;
    failure ??= reason;
    logger.warn("Dream stopped after {entries} entries at {scope}: {reason}", {
      entries: run.entries,
      scope: scope.folder,
      reason,
    });
  }
  const { batches, ...done } = run;
  if (failure !== null) return { state: "failed", reason: failure, entries: run.entries };
  return batches === 0 ? { state: "nothing_new" } : { state: "done", ...done };
}

/** What a run has done so far. */
interface Run {
  readonly versions: string[];
  readonly proposals: string[];
  entries: number;
  left: number;
  batches: number;
}

/** @returns why a batch of it failed, or null */
async function digestScope(
  options: DreamOptions,
  { scope, run }: { readonly scope: MemoryScope; readonly run: Run },
  signal: AbortSignal,
): Promise<string | null> {
  try {
    for (;;) {
      const batch = await options.keeper.nextBatch(scope, batchLimits(options));
      if (batch === null) return null;
      if (run.batches++ >= BATCHES_PER_RUN_MAX) {
        run.left += batch.entries.length + batch.left;
        return null;
      }
      const outcome = await digest(options, { scope, batch }, signal);
      if (outcome.state === "failed") return outcome.reason;
      run.entries += batch.entries.length;
      if (outcome.version !== null) run.versions.push(outcome.version);
      run.proposals.push(...outcome.proposals);
    }
  } catch (error) {
    if (error instanceof MemoryError) return error.message; // the memory of others may be fine
    throw error;
  }
}

function batchLimits({ settings, model }: DreamOptions) {
  return { entriesMax: settings.batchMax, charsMax: model.batchCharsMax };
}

interface BatchOf {
  readonly scope: MemoryScope;
  readonly batch: DreamBatch;
}

async function digest(
  options: DreamOptions,
  { scope, batch }: BatchOf,
  signal: AbortSignal,
): Promise<BatchOutcome> {
  const { keeper } = options;
  const last = batch.entries.at(-1);
  if (last === undefined) return { state: "done", version: null, proposals: [] };
  const analysis = await analyse(options, { scope, batch }, signal);
  if (analysis.state === "failed") return analysis;
  const draft = await newDraft(options, { scope, batch });
  if (!isNothingToDo(analysis.text)) {
    const failure = await carryOut(
      options,
      { analysis: analysis.text, draft, scope, batch },
      signal,
    );
    if (failure !== null) return { state: "failed", reason: failure };
  }
  const end = await keeper.finishBatch({
    scope,
    cursor: last.cursor,
    base: batch.texts,
    texts: draft.texts,
    proposals: draft.proposals,
    lastTimestamp: last.timestamp,
  });
  if (end.state === "conflict") {
    const reason = `${end.files.join(", ")} was edited by hand meanwhile; the next run tries again`;
    return { state: "failed", reason };
  }
  const proposals = [...draft.proposals.keys()].map((path) => path.split("/").at(-2) ?? path);
  return { state: "done", version: end.version, proposals };
}

type Analysis =
  | { readonly state: "done"; readonly text: string }
  | { readonly state: "failed"; readonly reason: string };

/** The first phase. Half an analysis is none. */
async function analyse(
  { keeper, model, settings, mark, clock }: DreamOptions,
  { scope, batch }: BatchOf,
  signal: AbortSignal,
): Promise<Analysis> {
  const { entries, texts } = batch;
  const fixed = fixedFiles({ scope, batch });
  const ages = settings.annotatesLineAges ? await keeper.lineAges(scope, texts.MEMORY) : [];
  const today = localMinute(clock.now(), settings.timezone).slice(0, 10);
  const shown = entries.map((entry) => ({
    ...entry,
    content: cut(entry.content, Math.min(ENTRY_CHARS_MAX, model.batchCharsMax)),
  }));
  const messages: ChatMessage[] = [
    { role: "system", content: ANALYSIS_PROMPT },
    {
      role: "user",
      content: analysisQuestion({ entries: shown, texts, ages, today, fixed, mark }),
    },
  ];
  const answered = await askOnce(model, { messages, tools: [] }, signal);
  if (answered.state === "failed") return answered;
  const { content, calls, finishReason } = answered.response;
  if (finishReason !== "stop" || calls.length > 0) {
    const reason = `the model's analysis is not complete (it ended with "${finishReason}")`;
    return { state: "failed", reason };
  }
  const text = content?.trim() ?? "";
  if (text === "") return { state: "failed", reason: "the model gave an empty analysis" };
  return { state: "done", text };
}

/**
 * Files that a batch must not change: the character of an assistant of many is nobody's alone, and
 * what orders everybody's assistant about, or says whose it is, comes of owners' words alone.
 */
function fixedFiles({ scope, batch: { isOwners } }: BatchOf): readonly MemoryFileName[] {
  if (!scope.isGlobal) return ["SOUL"];
  return isOwners ? [] : ["SOUL", "USER"];
}

async function newDraft(
  { keeper, skills }: DreamOptions,
  { scope, batch }: BatchOf,
): Promise<DreamDraft> {
  const names = await keeper.skillFolders(); // also of those that are disabled, or broken
  const known = (await skills.known()).map(({ name }) => name);
  const proposed = await keeper.proposedSkills();
  return new DreamDraft({
    texts: batch.texts,
    fixed: new Set(fixedFiles({ scope, batch })),
    mayPropose: scope.isGlobal,
    skills: new Set([...names, ...known, ...proposed]),
    proposed: proposed.length,
    checkSkill: (name, text) => skills.check(name, text),
    readSkill: async (name) =>
      await keeper.read(`skills/${name}/SKILL.md`) ??
        await keeper.read(`${PROPOSED_SKILLS}/${name}/SKILL.md`),
  });
}

interface Editing extends BatchOf {
  readonly analysis: string;
  readonly draft: DreamDraft;
}

/** The second phase. @returns why it did not come to its end, or null */
async function carryOut(
  { keeper, model, settings, mark, skills: library }: DreamOptions,
  { analysis, draft, scope, batch }: Editing,
  signal: AbortSignal,
): Promise<string | null> {
  const skills = await describeSkills(keeper, library);
  const { texts } = batch;
  const fixed = fixedFiles({ scope, batch });
  const messages: ChatMessage[] = [
    { role: "system", content: EDIT_PROMPT },
    { role: "user", content: editQuestion({ analysis, texts, skills, fixed, mark }) },
  ];
  for (let iteration = 0; iteration < settings.iterationsMax; iteration++) {
    const answered = await askOnce(model, { messages, tools: DREAM_TOOLS }, signal);
    if (answered.state === "failed") return answered.reason;
    const { content, calls, finishReason, thinkingBlocks, reasoning } = answered.response;
    if (calls.length === 0) {
      return finishReason === "stop" ? null : `the model's work broke off ("${finishReason}")`;
    }
    if (finishReason === "length") return "the model's edits were cut off";
    messages.push({
      role: "assistant",
      content,
      tool_calls: calls.map(({ call }) => call),
      ...(reasoning !== null && { reasoning_content: reasoning }),
      ...(thinkingBlocks.length > 0 && { thinking_blocks: thinkingBlocks }),
    });
    for (const { call, parsed } of calls) {
      const { name } = call.function;
      const result = parsed.state === "invalid"
        ? `Error: the arguments cannot be read: ${parsed.problem}`
        : await draft.run(name, parsed.value);
      messages.push({ role: "tool", tool_call_id: call.id, name, content: result });
    }
  }
  return `the model did not come to an end within ${settings.iterationsMax} steps`;
}

async function describeSkills(
  keeper: MemoryKeeper,
  skills: DreamSkills,
): Promise<readonly string[]> {
  const known = await skills.known();
  const proposed = await keeper.proposedSkills();
  return [
    ...known.map(({ name, description }) => `${name}: ${description}`),
    ...proposed.map((name) => `${name}: (proposed already)`),
  ];
}
