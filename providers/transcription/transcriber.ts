/**
 * Writes speech down with a service that speaks OpenAI's transcription API.
 * @module
 */

import { z } from "zod";
import { type Clock, sleep } from "../../actors/kernel/clock.ts";
import { Deadline } from "../../actors/kernel/deadline.ts";
import { redact } from "../redaction.ts";
import { waitFromHeaders } from "../retry_after.ts";
import type { TranscriptionService } from "./choice.ts";
import { soundFile } from "./sound_file.ts";

/** What became of a recording. An empty text is silence. */
export type TranscriptionResult =
  | { readonly state: "transcribed"; readonly text: string }
  | { readonly state: "failed"; readonly reason: string };

/** A recording. */
export interface Recording {
  /** Its ending tells the format. */
  readonly fileName: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** What services take at most. */
export const RECORDING_BYTES_MAX: number = 25 * 1024 * 1024;

/** How long one attempt may take. */
const TIMEOUT_MS = 60_000;
/** Waits before the second, third and fourth attempt. */
const WAITS_MS: readonly number[] = [1_000, 2_000, 4_000];
/** Nobody waits longer for a recording, whatever the service asks for. */
const WAIT_MS_MAX = 30_000;

const answerSchema = z.object({ text: z.string() });

type Attempt =
  | { readonly state: "over"; readonly result: TranscriptionResult }
  | { readonly state: "again"; readonly reason: string; readonly waitMs: number };

/** Asks one service. */
export class Transcriber {
  readonly #service: TranscriptionService;
  readonly #clock: Clock;

  constructor(service: TranscriptionService, clock: Clock) {
    this.#service = service;
    this.#clock = clock;
  }

  /**
   * Writes a recording down; up to four attempts where trying again can help.
   *
   * @throws only the signal's reason
   */
  async transcribe(recording: Recording, signal: AbortSignal): Promise<TranscriptionResult> {
    const { bytes } = recording;
    if (bytes.length === 0) return failed("the recording is empty");
    if (bytes.length > RECORDING_BYTES_MAX) return failed("the recording is above 25 MB");
    for (let attempt = 0;; attempt++) {
      const tried = await this.#try(recording, signal);
      if (tried.state === "over") return tried.result;
      const waitMs = WAITS_MS[attempt];
      if (waitMs === undefined) return failed(tried.reason);
      await sleep(this.#clock, Math.min(Math.max(waitMs, tried.waitMs), WAIT_MS_MAX), signal);
    }
  }

  async #try(recording: Recording, signal: AbortSignal): Promise<Attempt> {
    const { url, apiKey, extraHeaders } = this.#service;
    using deadline = new Deadline(this.#clock, TIMEOUT_MS, { signal });
    try {
      const response = await fetch(url, {
        method: "POST",
        headers: {
          ...(apiKey === "" ? {} : { authorization: `Bearer ${apiKey}` }),
          ...extraHeaders,
        },
        body: this.#form(recording),
        signal: deadline.signal,
      });
      return this.#judge(response, await response.text());
    } catch (error) {
      signal.throwIfAborted();
      const reason = deadline.hasPassed ? "no answer in time" : "no connection";
      if (!deadline.hasPassed && !(error instanceof TypeError)) throw error;
      return { state: "again", reason, waitMs: 0 };
    }
  }

  #form({ fileName, bytes }: Recording): FormData {
    const { name, type } = soundFile(fileName);
    const form = new FormData();
    form.set("file", new Blob([bytes], { type }), name);
    form.set("model", this.#service.model);
    return form;
  }

  #judge(response: Response, body: string): Attempt {
    if (response.ok) return { state: "over", result: readAnswer(body) };
    const { status, headers } = response;
    const words = redact(body, [this.#service.apiKey]);
    const reason = `${this.#service.name} answered ${status} (${words})`;
    if (status !== 408 && status !== 429 && status < 500) {
      return { state: "over", result: failed(reason) };
    }
    return { state: "again", reason, waitMs: waitFromHeaders(headers, this.#clock.now()) ?? 0 };
  }
}

function readAnswer(body: string): TranscriptionResult {
  try {
    const { text } = answerSchema.parse(JSON.parse(body));
    return { state: "transcribed", text: text.trim() };
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof z.ZodError) {
      return failed("the answer holds no text");
    }
    throw error;
  }
}

function failed(reason: string): TranscriptionResult {
  return { state: "failed", reason };
}
