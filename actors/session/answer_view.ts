/**
 * What people see of an answer while it is made: its growing text, the tools that run, and, where
 * that is wanted, what the model thinks.
 * @module
 */

import { VisibleText } from "../../providers/visible_text.ts";
import type { Outbound } from "../journal/journal.ts";
import type { ActorRef } from "../kernel/ref.ts";
import type { TextListener } from "./model_call.ts";
import type { OutboxMessage } from "./ports.ts";
import type { TurnListener } from "./turn_events.ts";
import { retryWait } from "./wording.ts";

/** Where an answer is shown. */
export interface AnswerPlace {
  readonly outbox: ActorRef<OutboxMessage> | undefined;
  readonly chatId: string;
  readonly context: Outbound["context"];
  /** The row that grows; undefined where the channel does not stream. */
  readonly row: Outbound | undefined;
  /** What the model thinks is shown, too. */
  readonly showsReasoning: boolean;
  /** Hears all that is shown, piece by piece. @default nobody does */
  readonly listener?: TurnListener | undefined;
}

/** Most of what the model thought that is kept to be shown: the end of it. */
const REASONING_CHARS_MAX = 8_000;

/** People are told of waits before another try of at least this length. */
const WAIT_SHOWN_MS = 10_000;

/** Text that was shown of an answer. */
export interface ShownText {
  /** Of earlier model calls. */
  readonly preamble: string;
  /** Of the current one. */
  readonly text: string;
}

/** Shows one answer; one view serves all answers of a turn, one after the other. */
export class AnswerView implements TextListener {
  #place: AnswerPlace | undefined;
  #preamble = "";
  #text = "";
  #activity = "";
  #progress = "";
  #areToolsRunning = false;
  #cleaner = new VisibleText();
  #kept = "";
  #isHidden = false;
  /** People were told that this call waits for another try. */
  #hasToldOfWait = false;
  /** Thoughts of earlier model calls, and of the current one. */
  #thoughtBefore = "";
  #thoughts = "";

  /** What was shown of the current answer; where nothing grows only the preamble is known. */
  get shown(): ShownText {
    return { preamble: this.#preamble, text: this.isGrowing ? this.#text : "" };
  }

  /** A new answer begins. */
  begin(place: AnswerPlace): void {
    this.#place = place;
    this.#preamble = "";
    this.#activity = "";
    this.#progress = "";
    this.#areToolsRunning = false;
    this.#thoughtBefore = "";
    this.#thoughts = "";
    this.#listener?.({ type: "answer_began" });
    this.#beginCall({ kept: "", isHidden: false });
  }

  /**
   * A model call begins.
   *
   * @param call `kept`: text of calls that were cut off, which this one goes on with, as the model
   * wrote it; `isHidden`: its text is not shown while it comes
   */
  beginCall(call: { readonly kept: string; readonly isHidden: boolean }): void {
    if (call.kept === "") this.#listener?.({ type: "call_began" });
    this.#beginCall(call);
  }

  #beginCall({ kept, isHidden }: { readonly kept: string; readonly isHidden: boolean }): void {
    this.#kept = kept;
    this.#isHidden = isHidden;
    this.#endWait();
    this.#thoughtBefore = this.#reasoning;
    this.#thoughts = "";
    this.#beginText();
  }

  grew(delta: string): void {
    if (this.#isHidden) return;
    const growth = this.#cleaner.push(delta);
    if (growth === "") return;
    this.#endWait();
    this.#text += growth;
    this.#listener?.({ type: "text_grew", text: growth });
    this.#show();
  }

  thought(delta: string): void {
    if (this.#isHidden) return;
    this.#listener?.({ type: "reasoning_grew", text: delta });
    if (this.#place?.showsReasoning !== true) return;
    this.#thoughts = (this.#thoughts + delta).slice(-REASONING_CHARS_MAX);
    this.#show();
  }

  /** Short waits are nobody's business. */
  waits(delayMs: number): void {
    if (delayMs < WAIT_SHOWN_MS) return;
    const text = retryWait(delayMs);
    if (this.#place?.row === undefined && !this.#hasToldOfWait) this.#tellProgress(text, false);
    this.#hasToldOfWait = true;
    this.#activity = text;
    this.#show();
  }

  restarted(): void {
    const hadText = this.#text !== "" || this.#thoughts !== "";
    this.#thoughts = "";
    this.#beginText();
    this.#listener?.({ type: "text_voided" });
    if (hadText) this.#show();
  }

  /** Tools run: `text` came with their calls, `hint` names them. */
  toolsStarted(text: string, hint: string): void {
    if (this.#place?.row === undefined) {
      this.#tellProgress(text, false);
      this.#tellProgress(hint, true);
    }
    if (text !== "") this.#preamble += this.#preamble === "" ? text : `\n\n${text}`;
    this.#text = "";
    this.#activity = hint;
    this.#progress = "";
    this.#areToolsRunning = true;
    this.#show();
  }

  /** Whether the answer grows where people see it: then more can be shown without new messages. */
  get isGrowing(): boolean {
    return this.#place?.row !== undefined;
  }

  /** How far the tools that run have come, a line each. */
  toolsProgressed(text: string): void {
    if (!this.#areToolsRunning) return;
    if (!this.isGrowing) return this.#tellProgress(text, false);
    this.#progress = text;
    this.#show();
  }

  /** The tools that ran have ended. */
  toolsEnded(): void {
    this.#activity = "";
    this.#progress = "";
    this.#areToolsRunning = false;
    this.#show();
  }

  get #listener(): TurnListener | undefined {
    return this.#place?.listener;
  }

  #endWait(): void {
    if (!this.#hasToldOfWait) return;
    this.#hasToldOfWait = false;
    this.#activity = "";
  }

  #beginText(): void {
    this.#cleaner = new VisibleText();
    this.#text = this.#cleaner.push(this.#kept);
  }

  get #reasoning(): string {
    const calls = [this.#thoughtBefore, this.#thoughts.trim()].filter((text) => text !== "");
    return calls.join("\n\n").slice(-REASONING_CHARS_MAX);
  }

  #show(): void {
    const key = this.#place?.row?.key;
    if (key === undefined) return;
    const reasoning = this.#reasoning;
    this.#place?.outbox?.tell({
      type: "stream_grew",
      key,
      preamble: this.#preamble,
      text: this.#text,
      activity: this.#activity,
      ...(this.#progress !== "" && { progress: this.#progress }),
      ...(reasoning !== "" && { reasoning }),
    });
  }

  #tellProgress(text: string, isToolHint: boolean): void {
    if (text.trim() === "" || this.#place === undefined) return;
    const { outbox, chatId, context } = this.#place;
    outbox?.tell({ type: "progress", chatId, context, text, isToolHint });
  }
}
