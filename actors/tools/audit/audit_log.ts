/**
 * The audit log: appends what tools did to a chain of lines, beside the turns that it tells of.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import { redact } from "../../config/redact.ts";
import type { Clock, Timer } from "../../kernel/clock.ts";
import { asError } from "../../kernel/errors.ts";
import type { ToolNeeds } from "../tool.ts";
import type { AuditEntry, AuditPort, LogEntry } from "./audit_entry.ts";
import { type AuditFiles, type ChainEnd, findChainEnd } from "./chain_end.ts";
import { auditFileName, sealLine } from "./chain.ts";
import { cutText, presentableArguments, rightsOf } from "./presentable.ts";

const logger = getLogger(["troupe", "tools", "audit"]);

/** A file past this is followed by the next; it is read whole at the start. */
const FILE_CHARS_MAX = 4 * 1024 * 1024;
/** Entries that wait while the disk does not take them; beyond it the oldest are let go of. */
const WAITING_MAX = 10_000;
const RETRY_MS = 5_000;
const DETAIL_CHARS_MAX = 300;

/** What the log is made of. */
export interface AuditLogOptions {
  readonly files: AuditFiles;
  readonly clock: Clock;
  /** Values that must not be written down, longest first. */
  readonly secrets: readonly string[];
  /** What a tool may use; undefined for one that is not known. */
  readonly needsOf: (tool: string) => ToolNeeds | undefined;
  /** @default 4 MiB */
  readonly fileCharsMax?: number;
}

/** An entry that the disk does not have yet. */
interface Waiting {
  /** ISO time. */
  readonly at: string;
  readonly fields: AuditEntry | LogEntry;
}

/** Writes in batches; whoever owns it disposes of it, and then all that was recorded is on disk. */
export class AuditLog implements AuditPort, AsyncDisposable {
  readonly #options: AuditLogOptions;
  #end: ChainEnd;
  #waiting: Waiting[] = [];
  #lost = 0;
  #writing: Promise<void> | undefined;
  #retry: Timer | undefined;
  #hasFailed = false;

  /** Finds the end of the chain; a line that a crash cut off is taken away, and that is noted. */
  static async open(options: AuditLogOptions): Promise<AuditLog> {
    const { end, notes } = await findChainEnd(options.files);
    const log = new AuditLog(options, end);
    for (const text of notes) log.#add({ kind: "log", text });
    return log;
  }

  private constructor(options: AuditLogOptions, end: ChainEnd) {
    this.#options = options;
    this.#end = end;
  }

  record(entry: AuditEntry): void {
    this.#add(this.#presentable(entry));
  }

  /** Resolves when all that was recorded is written, or cannot be. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#writing;
    this.#retry?.cancel();
    if (this.#waiting.length > 0) await this.#write();
    this.#retry?.cancel();
    if (this.#waiting.length === 0) return;
    logger.error("Cannot write {count} entries of the audit log: they are lost", {
      count: this.#waiting.length,
    });
  }

  #add(fields: AuditEntry | LogEntry): void {
    this.#waiting.push({ at: new Date(this.#options.clock.now()).toISOString(), fields });
    if (this.#waiting.length > WAITING_MAX) {
      this.#waiting.shift();
      this.#lost++;
    }
    if (this.#writing === undefined && this.#retry === undefined) this.#start();
  }

  #start(): void {
    this.#retry = undefined;
    this.#writing = this.#write().finally(() => this.#writing = undefined);
  }

  async #write(): Promise<void> {
    // What is recorded in this turn of the event loop goes into one batch.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const batch = this.#waiting;
      this.#waiting = [];
      try {
        await this.#append(batch);
        this.#hasFailed = false;
      } catch (error) {
        this.#waiting = [...batch, ...this.#waiting];
        this.#failed(asError(error));
        return;
      }
    }
  }

  #failed(error: Error): void {
    if (!this.#hasFailed) {
      logger.error("Cannot write the audit log, trying again: {reason}", { reason: error.message });
    }
    this.#hasFailed = true;
    this.#retry = this.#options.clock.setTimer(RETRY_MS, () => this.#start());
  }

  /** The chain moves on only with what the disk has. */
  async #append(batch: readonly Waiting[]): Promise<void> {
    const { files, fileCharsMax = FILE_CHARS_MAX } = this.#options;
    let { file, fileChars, n, hash } = this.#end;
    const isNewFile = fileChars === 0 || fileChars >= fileCharsMax;
    if (isNewFile && fileChars > 0) [file, fileChars] = [file + 1, 0];
    const lost = this.#lost;
    const records = lost === 0 ? batch : [lostNote(lost, batch), ...batch];
    let text = "";
    for (const { at, fields } of records) {
      const isFirst = isNewFile && text === "";
      const sealed = sealLine(hash, { n: ++n, at, ...(isFirst && { previous: hash }), ...fields });
      hash = sealed.hash;
      text += sealed.line;
    }
    await files.append(auditFileName(file), text);
    this.#end = { file, fileChars: fileChars + text.length, n, hash };
    this.#lost -= lost;
  }

  #presentable(entry: AuditEntry): AuditEntry & { readonly rights?: readonly string[] } {
    const { secrets, needsOf } = this.#options;
    const needs = needsOf(entry.tool);
    return {
      ...entry,
      arguments: presentableArguments(entry.arguments, secrets),
      ...(needs !== undefined && { rights: rightsOf(needs) }),
      ...(entry.kind === "call" && {
        detail: cutText(redact(entry.detail, secrets), DETAIL_CHARS_MAX),
      }),
    };
  }
}

function lostNote(lost: number, [next]: readonly Waiting[]): Waiting {
  const text = `${lost} entries were lost: the disk did not take them`;
  return { at: next?.at ?? "", fields: { kind: "log", text } };
}
