/**
 * Where a recorded session is played again: its real parts, one turn after another, with time, ids
 * and whatever came from outside as they were recorded.
 * @module
 */

import { untilAborted } from "../../kernel/aborting.ts";
import { IncarnationEndedError } from "../../kernel/incarnation.ts";
import { ApprovalDesk } from "../approval_desk.ts";
import type { SessionServices } from "../ports.ts";
import type { RecordedSettings, RecordedStep, RecordedTools } from "../record/recorded_step.ts";
import {
  recordedMetadata,
  recordedSettings,
  recordedTools,
} from "../record/recorded_step_schema.ts";
import { type InterruptedTurn, wakeSession } from "../recovery.ts";
import { encodeMetadataLine, splitSessionText } from "../session_file.ts";
import type { SessionLog } from "../session_log.ts";
import { SessionMemory } from "../session_memory.ts";
import { sessionFileName } from "../session_name.ts";
import { TurnSteps } from "../steps.ts";
import { Turn } from "../turn.ts";
import type { TurnTimes } from "../turn_times.ts";
import { asideDraft } from "../undo_command.ts";
import { WaitingNotes } from "../waiting_notes.ts";
import { asideRow } from "../record/step_inputs.ts";
import type { Recording, ScriptEntry } from "./recording.ts";
import { ReplayClock } from "./replay_clock.ts";
import {
  NOBODY,
  readingPorts,
  ReplayCutError,
  ReplayFiles,
  ReplayJournal,
  ReplayLedger,
  ReplayProvider,
  ReplayTools,
} from "./replay_ports.ts";
import { type Divergence, Script } from "./script.ts";

type Close = NonNullable<RecordedStep["close"]>;

/** Turns of the event loop in which nothing happens: then nothing will by itself. */
const STILL_TURNS = 25;

/** What is played. */
export interface StageOptions {
  readonly key: string;
  readonly recording: Recording;
  /** The step that it begins with. */
  readonly from: number;
  /** The lines before that. */
  readonly before: readonly string[];
  readonly defer: (callback: () => void) => void;
}

/** What came of it. */
export interface Played {
  /** All lines of messages. */
  readonly lines: readonly string[];
  readonly divergence: Divergence | undefined;
}

/** Plays once. */
export class ReplayStage {
  readonly #options: StageOptions;
  readonly #clock = new ReplayClock();
  readonly #script: Script;
  readonly #files = new ReplayFiles();
  readonly #journal: ReplayJournal;
  readonly #tools: ReplayTools;
  readonly #names: string[] = [];
  readonly #toolTexts = new Map<string, RecordedTools>();
  #ids = 0;
  #log: SessionLog | undefined;
  #memory = freshMemory();
  #turn: Turn | undefined;
  /** Of the turn that runs. */
  #life: AbortController | undefined;

  constructor(options: StageOptions) {
    const { key: sessionKey, recording, from, defer } = options;
    this.#options = options;
    const script = this.#script = new Script(recording.entries, from, this.#clock);
    const onEnd = () => this.#end();
    this.#journal = new ReplayJournal({ clock: this.#clock, defer }, { script, sessionKey, onEnd });
    this.#tools = new ReplayTools(
      script,
      (digest) => this.#toolsOf(digest),
      (name) => void this.#names.push(name),
    );
  }

  /** @throws what no recording should lead to */
  async run(): Promise<Played> {
    const { key, before } = this.#options;
    const name = sessionFileName(key);
    const about = { key, createdAtMs: 0, updatedAtMs: 0, metadata: {}, lastConsolidated: 0 };
    const lines = [encodeMetadataLine(about), ...before].map((line) => `${line}\n`);
    await this.#files.replace(name, lines.join(""));
    for (;;) {
      const { next, at } = this.#script;
      if (next === undefined || this.#script.divergence !== undefined) break;
      await this.#play(next);
      if (this.#script.at === at) this.#lost(next);
    }
    await this.#log?.filed();
    const unfiled = await this.#journal.unfiledLines(key);
    const filed = splitSessionText(await this.#files.read(name) ?? "").lines;
    await this.#journal[Symbol.asyncDispose]();
    return {
      lines: [...filed, ...unfiled.map(({ text }) => text)],
      divergence: this.#script.divergence,
    };
  }

  async #play(entry: ScriptEntry): Promise<void> {
    const { step: { kind, close, aside, woke }, turnId } = entry;
    if (woke === true || this.#log === undefined) await this.#wake(entry);
    const log = this.#log;
    if (log === undefined) return;
    switch (kind) {
      case "begin":
        return await this.#run(entry, log, { steps: new TurnSteps(log, turnId) });
      case "again":
      case "alone":
        return await this.#run(entry, log);
      case "close": {
        if (this.#turn === undefined || close === undefined) return await this.#wake(entry);
        return await this.#close(entry, close);
      }
      case "aside": {
        if (aside === undefined) return;
        const { name, note, ids } = aside;
        const recorded = [asideRow(name, note, ids)];
        await log.commit({ recorded }, [asideDraft(name, note, ids)]);
        this.#memory.forgetConversation();
        return;
      }
      default:
        return await this.#wake(entry); // a message that breaks every attempt is parked there
    }
  }

  /** Somebody stopped the turn. One that counts on a step that was not made is read anew. */
  async #close(entry: ScriptEntry, { state, note }: Close): Promise<void> {
    if (this.#journal.takeRefusal()) await this.#read(entry);
    const [turn, log] = [this.#turn, this.#log];
    this.#turn = undefined;
    if (turn === undefined || log === undefined) return;
    const { step, drafts } = turn.steps.closing(state, note);
    await log.commit(step, drafts);
  }

  /** A new life: what the session knew is gone, and what was interrupted is found again. */
  async #wake(entry: ScriptEntry): Promise<void> {
    this.#script.wakes();
    this.#clock.set(entry.atMs);
    this.#memory = freshMemory();
    this.#journal.takeRefusal();
    await this.#read(entry);
  }

  /** The conversation and the open turn as the journal has them. */
  async #read({ step }: ScriptEntry): Promise<void> {
    await this.#log?.filed();
    const services = this.#services(step.settings);
    const signal = new AbortController().signal;
    const { log, interrupted } = await wakeSession(this.#options.key, services, signal);
    this.#log = log;
    this.#turn = interrupted && this.#makeTurn(log, interrupted, step.settings);
  }

  async #run(entry: ScriptEntry, log: SessionLog, begins?: Pick<InterruptedTurn, "steps">) {
    await this.#settle(entry, log);
    if (begins !== undefined) {
      const fresh = { ...begins, mustRunAlone: false };
      this.#turn = this.#makeTurn(log, fresh, entry.step.settings);
    }
    if (this.#turn !== undefined) await this.#drive(this.#turn);
  }

  /** What was summed up, or changed otherwise, before the turn. */
  async #settle({ step: { metadata, replayable } }: ScriptEntry, log: SessionLog): Promise<void> {
    const { conversation } = log;
    const text = metadata === undefined ? undefined : this.#text(metadata);
    if (text === undefined || replayable === undefined) return;
    const data = recordedMetadata.parse(JSON.parse(text));
    const to = conversation.messages.length - replayable;
    if (to > conversation.lastConsolidated) await log.consolidate(to, () => data);
    else if (JSON.stringify(conversation.metadata) !== text) {
      await log.changeMetadata(() => data);
    }
  }

  async #drive(turn: Turn): Promise<void> {
    const life = this.#life = new AbortController();
    let hasEnded = false;
    const run = turn.run(life.signal).then(
      ({ paused }) => {
        if (paused === undefined) this.#turn = undefined;
      },
      (error) => {
        if (!life.signal.aborted && !(error instanceof ReplayCutError)) throw error;
      },
    ).finally(() => hasEnded = true);
    run.catch(() => {}); // it is waited for below
    let still = 0;
    let seen = -1;
    while (!hasEnded) {
      await this.#nextTurn();
      still = this.#script.activity === seen ? still + 1 : 0;
      seen = this.#script.activity;
      if (this.#script.divergence !== undefined) life.abort(new ReplayCutError("It differs"));
      else if (still >= STILL_TURNS) {
        this.#end(); // nothing goes on by itself: the recording says what came from outside
        still = 0;
      }
    }
    await run;
  }

  /** The turn ends here: its time is over, or it is cut short, in order or otherwise. */
  #end(): void {
    const kind = this.#script.next?.step.kind;
    if (kind === "answer") return this.#clock.fire();
    const isInOrder = kind === "rest";
    this.#life?.abort(
      isInOrder
        ? new IncarnationEndedError("Ended, as it was recorded")
        : new ReplayCutError("Cut short, as it was recorded"),
    );
  }

  /** What was recorded did not happen again. */
  #lost({ step: { kind } }: ScriptEntry): void {
    this.#script.diverge("the course of the turn", kind, "(it does not come to that)");
  }

  #makeTurn(log: SessionLog, parts: InterruptedTurn, settings: string | undefined): Turn {
    const services = this.#services(settings);
    const permit = {
      giveBack: () => {},
      regain: (signal: AbortSignal) => untilAborted(Promise.resolve(), signal),
    };
    const desk = new ApprovalDesk({ services, permit });
    const times = timesOf(this.#script, this.#clock);
    return new Turn({ services, log, memory: this.#memory, desk, times, ...parts });
  }

  #services(digest: string | undefined): SessionServices {
    const { recording: { entries } } = this.#options;
    const text = digest === undefined ? this.#anySettings() : this.#text(digest);
    const { settings, heartbeat }: RecordedSettings = recordedSettings.parse(
      JSON.parse(text ?? "null"),
    );
    const script = this.#script;
    const [journal, clock] = [this.#journal, this.#clock];
    const { readDocument, ...reading } = readingPorts(script);
    const readsDocuments = entries.some(({ step }) =>
      step.reads?.some(({ documents }) => documents.length > 0)
    );
    return {
      ...{ settings, journal, clock, files: this.#files, ...reading },
      ...(readsDocuments && { readDocument }),
      promptFiles: { read: () => Promise.resolve(null) },
      systemPrompt: () => Promise.resolve(this.#text(script.nextAsk?.system ?? "") ?? ""),
      provider: new ReplayProvider(script, () => this.#end()),
      tools: this.#tools,
      toolContext: toolContextIn(settings.workspace),
      gate: NOBODY,
      outbox: () => NOBODY,
      usage: new ReplayLedger({ script, journal, clock, timezone: settings.timezone }),
      newId: () => this.#names.shift() ?? `replay-${++this.#ids}`,
      uptimeMs: () => 0,
      archive: journal.archive,
      ...(heartbeat !== null && {
        heartbeat: {
          sessionKey: heartbeat.sessionKey,
          recentMessagesMax: heartbeat.recentMax,
          isWorthTelling: () => Promise.resolve(false),
          tell: () => Promise.resolve(),
        },
      }),
    };
  }

  #anySettings(): string | undefined {
    const { recording: { entries }, from } = this.#options;
    const named = entries.slice(from).find(({ step }) => step.settings !== undefined);
    return this.#text(named?.step.settings ?? "");
  }

  #text(digest: string): string | undefined {
    return this.#options.recording.texts.get(digest);
  }

  #toolsOf(digest: string): RecordedTools {
    const known = this.#toolTexts.get(digest);
    if (known !== undefined) return known;
    const tools = recordedTools.parse(JSON.parse(this.#text(digest) ?? "null"));
    this.#toolTexts.set(digest, tools);
    return tools;
  }

  #nextTurn(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#options.defer(resolve);
    return promise;
  }
}

/** When messages were read, how long rounds took, and in which order their calls ended. */
function timesOf(script: Script, clock: ReplayClock): TurnTimes {
  return {
    reading: ([first]) => (first && script.readAtMs(first)) ?? clock.now(),
    round: () => () => script.tookMs,
    ended: (callId, signal) => untilAborted(script.isDue(callId), signal),
  };
}

function freshMemory(): SessionMemory {
  return new SessionMemory(new WaitingNotes(() => undefined));
}

/** Where nothing is run, read or kept. */
function toolContextIn(workspace: string): SessionServices["toolContext"] {
  const refuse = () => Promise.reject(new TypeError("Cannot reach the world: it is a replay"));
  return {
    workspace,
    files: {
      resolve: (path) => Promise.resolve(path),
      info: () => Promise.resolve(null),
      read: refuse,
      write: () => Promise.resolve(),
      remove: () => Promise.resolve(),
      list: () => Promise.resolve({ entries: [], isCut: false }),
    },
    processes: { run: refuse },
    net: { request: refuse, isPublic: () => Promise.resolve(false) },
  };
}
