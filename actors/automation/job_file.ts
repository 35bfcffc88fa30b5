/**
 * The book of jobs and its file: read again when a person changed it, merged with what the gateway
 * knows, and never written over a change that was not read.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import { GatewayError } from "../kernel/errors.ts";
import { JobBook } from "./job_book.ts";
import type { JobFiles } from "./ports.ts";

const logger = getLogger(["troupe", "automation", "job_file"]);

/** A file that cannot be read may be half-way through being saved. */
const HALF_SAVED_MS = 2_000;
/** Somebody who writes more often than this is no person. */
const ATTEMPTS_MAX = 8;

/** The file of jobs cannot be kept just now. */
export class JobFileError extends GatewayError {
  override readonly name = "JobFileError";
  readonly code = "job_file";
  readonly recovery = "retry";
}

/** What a file is opened with. */
export interface JobFileOptions {
  readonly files: JobFiles;
  /** Of cron expressions that name none. */
  readonly timezone: string;
  /** Tells the owners what a person should look at. */
  readonly inform: (text: string) => void;
}

/** Used by one at a time. */
export class JobFile {
  readonly #options: JobFileOptions;
  #book = JobBook.empty;
  /** What stands in the file, as far as it was read. */
  #text: string | null = null;
  /** The same as a book writes it down: what a person wrote may have another layout. */
  #says: string | null = null;
  #mark: string | null | undefined;
  #hasBook = false;
  /** A text that could not be read, and when that was first seen. */
  #suspect: { readonly text: string; readonly sinceMs: number } | undefined;
  /** What was told of its entries. */
  #told = new Set<string>();

  constructor(options: JobFileOptions) {
    this.#options = options;
  }

  /** As it was last read or written. */
  get book(): JobBook {
    return this.#book;
  }

  /** A file that cannot be read is given time to be saved whole. */
  get isWaiting(): boolean {
    return this.#suspect !== undefined;
  }

  /** Jobs whose next run changed, or that came and went, are remembered before they are written. */
  remember(book: JobBook): void {
    this.#book = book;
  }

  /**
   * Takes in what a person wrote.
   *
   * @param mayWait whether a file that cannot be read is given time to be saved whole
   * @returns whether the book is up to date; false while it waits
   */
  async sync({ nowMs, mayWait }: {
    readonly nowMs: number;
    readonly mayWait: boolean;
  }): Promise<boolean> {
    const { files, timezone } = this.#options;
    const mark = await files.mark();
    if (mark === this.#mark && this.#suspect === undefined) return true;
    const text = await files.read();
    if (text === null || text === this.#text) {
      if (text === null && this.#hasBook && this.#text !== null) {
        logger.warn("The file of jobs is gone, and is written again with the jobs there were");
      }
      return this.#took(mark, text);
    }
    const read = JobBook.read(text, timezone);
    if (read.state === "corrupt") {
      if (mayWait && this.#mayBeHalfSaved(text, nowMs)) return false;
      await this.#setAside(text, read.reason);
      return this.#took(mark, text);
    }
    this.#book = this.#hasBook ? read.book.knowing(this.#book) : read.book;
    this.#tellProblems();
    this.#took(mark, text);
    this.#says = read.book.text;
    return true;
  }

  /**
   * Makes the file say what the book says.
   *
   * @returns false when a person was faster: then the file has to be read again
   */
  async write(book: JobBook): Promise<boolean> {
    const { text } = book;
    const { files } = this.#options;
    // A file that says the same in another layout is left as somebody wrote it.
    if (text !== this.#text && text !== this.#says) {
      if (this.#text === null && book.jobs.length + book.broken.length === 0) {
        this.#book = book;
        return true;
      }
      if (!await files.swap(this.#text, text)) {
        this.#mark = undefined;
        return false;
      }
      this.#text = text;
      this.#says = text;
      this.#mark = await files.mark();
    }
    this.#book = book;
    return true;
  }

  /**
   * Changes the book by a function, as often as a person is faster.
   *
   * @throws {JobFileError} {Error}
   */
  async change<T>(
    nowMs: number,
    edit: (book: JobBook) => { readonly book: JobBook; readonly answer: T },
  ): Promise<T> {
    for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
      await this.sync({ nowMs, mayWait: false });
      const { book, answer } = edit(this.#book);
      if (!await this.write(book)) continue;
      await this.#options.files.keepCopy(book.text);
      return answer;
    }
    throw new JobFileError("Cannot change the jobs: cron/jobs.json is changed all the time");
  }

  /** Writes the book that is remembered. @throws {JobFileError} {Error} */
  async save(nowMs: number): Promise<void> {
    for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
      if (await this.write(this.#book)) return;
      if (!await this.sync({ nowMs, mayWait: true })) return; // at the next look
    }
    throw new JobFileError("Cannot keep the jobs: cron/jobs.json is changed all the time");
  }

  #took(mark: string | null, text: string | null): true {
    this.#mark = mark;
    if (text !== this.#text) this.#says = text;
    this.#text = text;
    this.#hasBook = true;
    this.#suspect = undefined;
    return true;
  }

  #mayBeHalfSaved(text: string, nowMs: number): boolean {
    if (this.#suspect?.text !== text) this.#suspect = { text, sinceMs: nowMs };
    const ageMs = nowMs - this.#suspect.sinceMs;
    return ageMs >= 0 && ageMs < HALF_SAVED_MS;
  }

  /** Nothing is lost: what stands there is kept, and the jobs that were there go on. */
  async #setAside(text: string, reason: string): Promise<void> {
    const { files, timezone, inform } = this.#options;
    const name = await files.setAside(text);
    let from = "the jobs that were known go on";
    if (!this.#hasBook) {
      const copy = await files.readCopy();
      const read = copy === null ? null : JobBook.read(copy, timezone);
      if (read?.state === "ok") this.#book = read.book;
      from = read?.state === "ok"
        ? `${read.book.jobs.length} jobs were taken from the copy jobs.json.bak`
        : "there is no copy of it, so there are no jobs until it is mended";
    }
    inform(
      `The file of jobs cannot be read (${reason}): it was kept as cron/${name}, and ${from}. ` +
        "Mend it and put it in the place of cron/jobs.json, or add what is missing anew.",
    );
  }

  #tellProblems(): void {
    for (const { id, problem } of this.#book.broken) {
      const key = `${id} ${problem}`;
      if (this.#told.has(key)) continue;
      this.#told.add(key);
      this.#options.inform(
        `Job "${id}" in cron/jobs.json cannot be used (${problem}); it stays in the file as it is.`,
      );
    }
  }
}
