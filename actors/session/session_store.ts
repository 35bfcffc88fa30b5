/**
 * Sessions between journal and disk: lines are appended to their file once, and only then leave
 * the journal.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import type { HistoryLine, Journal } from "../journal/journal.ts";
import { type Breathe, neverBreathe } from "../kernel/breathing.ts";
import type { Clock } from "../kernel/clock.ts";
import { asError, GatewayError } from "../kernel/errors.ts";
import type { JsonObject } from "../kernel/json.ts";
import { pendingNote, readPending } from "./archived_chunk.ts";
import { Conversation } from "./conversation.ts";
import { endedFileName, endedText } from "./ended_conversation.ts";
import type { SessionFiles } from "./ports.ts";
import {
  encodeMetadataLine,
  parseMessageLine,
  readSessionText,
  type SessionFile,
  splitSessionText,
} from "./session_file.ts";
import { linesUpTo } from "./session_lines.ts";
import { nanobotFileNames, nanobotSessionKey, sessionFileName } from "./session_name.ts";

const logger = getLogger(["troupe", "session", "session_store"]);

/** A session's file cannot be read or written; what was there is still there. */
export class SessionFileError extends GatewayError {
  override readonly name = "SessionFileError";
  readonly code = "session_file_failed";
  readonly recovery = "retry";
}

/** What the clearing note says once the conversation that ends is kept. */
const KEPT = "kept";

/** The lines that are in the journal. */
export type StoredLines = Pick<
  Journal,
  "unfiledLines" | "dropLines" | "sync" | "note" | "commit"
>;

/** What the store is made of. */
export interface SessionStoreOptions {
  readonly files: SessionFiles;
  readonly journal: StoredLines;
  readonly clock: Clock;
  /** Conversations that end are kept until they are archived. @default they are gone */
  readonly keepsEnded?: boolean;
  /** Lets others work while a long conversation is read. @default it is read at once */
  readonly breathe?: Breathe | undefined;
}

/**
 * What became of lines that were to be filed. `deferred`: they stay in the journal, and the next
 * call tries them again, first.
 */
export type FilingResult = "filed" | "deferred";

/** What the store knows of one file; gone with its conversation. */
interface FileState {
  readonly name: string;
  /** Whether the file has its first line. */
  hasBegun: boolean;
  /** In the journal, and not in the file yet. */
  readonly backlog: HistoryLine[];
  /** In the file, and perhaps still in the journal. */
  readonly filed: HistoryLine[];
  /** The backlog may not be synced: the file must not know of more than the journal will. */
  mustSync: boolean;
  /** Settles when the work that was asked for so far is done; work on one file never overlaps. */
  last: Promise<unknown>;
}

/** Reads and writes sessions' files. One store serves all sessions; each file has one owner. */
export class SessionStore {
  readonly #files: SessionFiles;
  readonly #journal: StoredLines;
  readonly #clock: Clock;
  readonly #keepsEnded: boolean;
  readonly #breathe: Breathe;
  readonly #states = new WeakMap<Conversation, FileState>();

  constructor(
    { files, journal, clock, keepsEnded = false, breathe = neverBreathe }: SessionStoreOptions,
  ) {
    this.#files = files;
    this.#journal = journal;
    this.#clock = clock;
    this.#keepsEnded = keepsEnded;
    this.#breathe = breathe;
  }

  /**
   * Wakes a conversation from disk. Lines that are only in the journal are appended to the file
   * first; lines that cannot be read are moved to `<name>.corrupt`.
   *
   * @throws {SessionFileError} when the file cannot be read or mended
   * @throws {JournalError}
   */
  async load(key: string): Promise<Conversation> {
    const name = sessionFileName(key);
    if (await this.#journal.note(clearingNote(key)) !== null) await this.#discard(key, name);
    const file = await guard("load", key, () => this.#readFile(key, name));
    const unfiled = await this.#journal.unfiledLines(key);
    const conversation = await Conversation.read(key, file ?? { messages: [], metadata: null }, {
      nowMs: this.#clock.now(),
      breathe: this.#breathe,
    });
    const present = idsPresent(conversation, new Set(unfiled.map(lineIdOf)));
    const state: FileState = {
      name,
      hasBegun: file !== null && file.healthyText !== "",
      backlog: [],
      filed: unfiled.filter((line) => present.has(lineIdOf(line))),
      mustSync: unfiled.length > 0,
      last: Promise.resolve(),
    };
    this.#states.set(conversation, state);
    const missing = unfiled.filter((line) => !present.has(lineIdOf(line)));
    for (const line of missing) {
      const stored = parseMessageLine(line.text);
      if (stored === null) {
        logger.error("Journal line {line} is no message", { line: lineIdOf(line) });
      } else conversation.append(stored);
    }
    if (unfiled.length > 0) await this.file(conversation, missing);
    return conversation;
  }

  /**
   * Appends lines that are synced in the journal to the file, syncs it, then drops their journal
   * copies. Never throws: what fails is logged and tried again at the next call.
   */
  file(conversation: Conversation, lines: readonly HistoryLine[]): Promise<FilingResult> {
    const state = this.#stateOf(conversation);
    state.backlog.push(...lines);
    return inTurn(state, async () => {
      try {
        await this.#appendBacklog(conversation, state);
        await this.#dropFiled(state);
        return "filed";
      } catch (thrown) {
        const error = asError(thrown);
        logger.warn("Cannot file {count} lines of {key}: {error}", {
          count: state.backlog.length,
          key: conversation.key,
          error: error.message,
        });
        return state.backlog.length === 0 ? "filed" : "deferred";
      }
    });
  }

  /**
   * Begins the conversation anew, which {@link clearingNote} has made durable: its file is replaced
   * by one without messages and metadata, and the journal forgets its lines. Until that is done,
   * nothing may be added to it; what a crash leaves undone is done when it is loaded.
   *
   * @throws {SessionFileError} when the file cannot be replaced; the old messages are still there
   * @throws {JournalError}
   */
  clear(conversation: Conversation): Promise<void> {
    const state = this.#stateOf(conversation);
    return inTurn(state, async () => {
      await this.#discard(conversation.key, state.name);
      state.hasBegun = true;
      state.backlog.length = 0;
      state.filed.length = 0;
      conversation.clear(this.#clock.now());
    });
  }

  /**
   * Changes the conversation's free-form data, as a further metadata line.
   *
   * @throws {SessionFileError} when it cannot be written; the old data stays
   */
  changeMetadata(
    conversation: Conversation,
    change: (metadata: JsonObject) => JsonObject,
  ): Promise<void> {
    const state = this.#stateOf(conversation);
    return inTurn(state, async () => {
      const metadata = change(conversation.metadata);
      const line = encodeMetadataLine({ ...conversation.describe(this.#clock.now()), metadata });
      await guard("change", conversation.key, () => this.#files.append(state.name, `${line}\n`));
      state.hasBegun = true;
      conversation.setMetadata(metadata);
    });
  }

  /**
   * Begins the replay at message `to`: what is before it was summed up, and `change` puts that into
   * the free-form data. A further metadata line; the messages stay in the file.
   *
   * @throws {SessionFileError} when it cannot be written; nothing has changed then
   */
  consolidate(
    conversation: Conversation,
    to: number,
    change: (metadata: JsonObject) => JsonObject,
  ): Promise<void> {
    const state = this.#stateOf(conversation);
    return inTurn(state, () =>
      guard("sum up", conversation.key, async () => {
        await this.#appendBacklog(conversation, state); // the line counts those before it
        const metadata = change(conversation.metadata);
        const described = conversation.describe(this.#activeAtMs(conversation));
        const { lines } = splitSessionText(await this.#files.read(state.name) ?? "");
        const lastConsolidated = linesUpTo(to, conversation.messages, lines);
        const line = encodeMetadataLine({ ...described, metadata, lastConsolidated });
        await this.#files.append(state.name, `${line}\n`);
        state.hasBegun = true;
        conversation.consolidated(to, metadata);
      }));
  }

  /**
   * Takes the messages that were summed up out of the file, which is replaced at once by one with
   * all the others, those that came a moment ago as well.
   *
   * @throws {SessionFileError} when it cannot be replaced; nothing has changed then
   */
  dropConsolidated(conversation: Conversation): Promise<void> {
    const state = this.#stateOf(conversation);
    return inTurn(state, () =>
      guard("compact", conversation.key, async () => {
        await this.#appendBacklog(conversation, state);
        // Copies of lines that are gone from the file would be taken for lines that it lacks.
        await this.#dropFiled(state);
        await this.#journal.sync();
        const { lines } = splitSessionText(await this.#files.read(state.name) ?? "");
        const count = conversation.lastConsolidated;
        const described = conversation.describe(this.#activeAtMs(conversation));
        const head = encodeMetadataLine({ ...described, lastConsolidated: 0 });
        const kept = lines.slice(linesUpTo(count, conversation.messages, lines));
        const text = [head, ...kept].map((line) => `${line}\n`).join("");
        await this.#files.replace(state.name, text);
        conversation.dropConsolidated(count);
      }));
  }

  /** What is done to old messages makes no session look as if somebody had just used it. */
  #activeAtMs(conversation: Conversation): number {
    return conversation.activeAtMs ?? this.#clock.now();
  }

  /** The note goes with the next commit that is synced: nothing is filed before that. */
  async #discard(key: string, name: string): Promise<void> {
    const nowMs = this.#clock.now();
    const fresh = new Conversation(key, { messages: [], metadata: null }, nowMs);
    const text = `${encodeMetadataLine(fresh.describe(nowMs))}\n`;
    const unfiled = await this.#journal.unfiledLines(key);
    if (this.#keepsEnded) await this.#keepOnce(key, name, unfiled);
    await guard("clear", key, () => this.#files.replace(name, text));
    await this.#journal.dropLines(unfiled);
    await this.#journal.commit({ notes: [{ key: clearingNote(key), value: null }] }, "written");
  }

  /**
   * Whoever begins again after this must not keep what is left of the conversation as another one:
   * its file may be empty by then, while the journal still has lines of it.
   */
  async #keepOnce(key: string, name: string, unfiled: readonly HistoryLine[]): Promise<void> {
    const note = clearingNote(key);
    if (await this.#journal.note(note) === KEPT) return;
    await guard("end", key, () => this.#keep(key, name, unfiled));
    await this.#journal.commit({ notes: [{ key: note, value: KEPT }] });
  }

  async #keep(key: string, name: string, unfiled: readonly HistoryLine[]): Promise<void> {
    const text = await this.#files.read(name) ?? "";
    const pending = readPending(await this.#journal.note(pendingNote(key)));
    const kept = endedText({ key, text, unfiled, pending });
    if (kept !== "") await this.#appendOnce(endedFileName(name), kept);
  }

  /** A crash between two writes must not put the same lines aside again. */
  async #appendOnce(name: string, text: string): Promise<void> {
    const before = await this.#files.read(name);
    if (!before?.endsWith(text)) await this.#files.append(name, text);
  }

  async #readFile(key: string, name: string): Promise<SessionFile | null> {
    const text = await this.#files.read(name);
    if (text === null) return await this.#takeOver(key, name);
    const file = await readSessionText(text, this.#breathe);
    if (file.damaged.length > 0) await this.#putAside(name, file.damaged);
    if (file.healthyText !== text) await this.#files.replace(name, file.healthyText);
    return file;
  }

  /** A file under nanobot's name, if it is this session's, becomes ours; the old one stays. */
  async #takeOver(key: string, name: string): Promise<SessionFile | null> {
    for (const theirName of nanobotFileNames(key)) {
      const text = theirName === name ? null : await this.#files.read(theirName);
      if (text === null) continue;
      const file = await readSessionText(text, this.#breathe);
      if ((file.metadata?.key ?? nanobotSessionKey(theirName)) !== key) continue;
      if (file.damaged.length > 0) await this.#putAside(name, file.damaged);
      await this.#files.replace(name, file.healthyText);
      logger.info("Took over {theirName} as {name}", { theirName, name });
      return file;
    }
    return null;
  }

  async #putAside(name: string, damaged: readonly string[]): Promise<void> {
    const asideName = `${name}.corrupt`;
    const text = damaged.map((line) => `${line}\n`).join("");
    await this.#appendOnce(asideName, text);
    logger.warn("Moved {count} damaged lines of {name} to {asideName}", {
      count: damaged.length,
      name,
      asideName,
    });
  }

  async #appendBacklog(conversation: Conversation, state: FileState): Promise<void> {
    const lines = state.backlog.slice();
    if (lines.length === 0) return;
    if (state.mustSync) await this.#journal.sync();
    state.mustSync = false;
    const head = state.hasBegun
      ? ""
      : `${encodeMetadataLine(conversation.describe(this.#clock.now()))}\n`;
    await this.#files.append(state.name, head + lines.map(({ text }) => `${text}\n`).join(""));
    state.hasBegun = true;
    state.backlog.splice(0, lines.length);
    state.filed.push(...lines);
  }

  async #dropFiled(state: FileState): Promise<void> {
    const lines = state.filed.slice();
    if (lines.length === 0) return;
    await this.#journal.dropLines(lines);
    state.filed.splice(0, lines.length);
  }

  #stateOf(conversation: Conversation): FileState {
    const state = this.#states.get(conversation);
    if (state === undefined) {
      throw new TypeError(`Cannot write "${conversation.key}": loaded by another store`);
    }
    return state;
  }
}

/** The journal's note that a conversation is to begin anew; committed with whatever asks for it. */
export function clearingNote(sessionKey: string): string {
  return `clear:${sessionKey}`;
}

/** The id under which a journal line stands in the file. */
export function lineIdOf({ turnId, line }: Pick<HistoryLine, "turnId" | "line">): string {
  return `${turnId}:${line}`;
}

function idsPresent(conversation: Conversation, wanted: ReadonlySet<string>): Set<string> {
  const present = new Set<string>();
  for (const { lineId } of conversation.messages) {
    if (lineId !== null && wanted.has(lineId)) present.add(lineId);
  }
  return present;
}

function inTurn<T>(state: FileState, work: () => Promise<T>): Promise<T> {
  const result = state.last.then(work);
  state.last = result.catch(() => {});
  return result;
}

async function guard<T>(action: string, key: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    const cause = asError(thrown);
    throw new SessionFileError(`Cannot ${action} session "${key}": ${cause.message}`, { cause });
  }
}
