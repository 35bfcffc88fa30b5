/**
 * What whoever asks the assistant from within a program hears of it: what comes of one message,
 * step by step, up to its end.
 * @module
 */

import type { ToolEvent } from "../../session/turn_events.ts";

/** Tokens of all model calls that an answer took, those that broke off included. */
export interface ExchangeUsage {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly totalTokens: number;
  /** Of the prompt: read from the vendor's cache. */
  readonly cachedTokens: number;
  /** Of the completion: spent on thinking. */
  readonly reasoningTokens: number;
  /** A provider told nothing of a call: its part is a guess. */
  readonly isEstimated: boolean;
}

/** Why there is no good answer. */
export type ExchangeFailure =
  /** The journal could not keep the message; nothing came of it. */
  | "not_taken"
  /** The answer says that it failed: the model, mostly. */
  | "turn_failed"
  /** Somebody stopped it. */
  | "stopped"
  /** The gateway ended first; what was taken in goes on at its next start. */
  | "gateway_stopped";

/** The last event of an exchange. */
export type ExchangeEnd =
  | {
    readonly type: "finished";
    /** The whole answer, Markdown; blank when what had to be said came as `message`. */
    readonly text: string;
    /** Absolute paths of files that belong to it. */
    readonly media: readonly string[];
    /** `length`: the model was cut off. */
    readonly finishReason: "stop" | "length" | "content_filter";
    readonly usage: ExchangeUsage;
  }
  | {
    readonly type: "failed";
    readonly reason: ExchangeFailure;
    /** What a person would have read. */
    readonly text: string;
    readonly usage: ExchangeUsage;
  };

/** One thing that came of a message. The last one is `finished` or `failed`. */
export type ExchangeEvent =
  /** It is kept, and will be worked on, whatever dies. */
  | { readonly type: "accepted" }
  /** Work on it begins. */
  | { readonly type: "started" }
  /** The answer grows by this, paragraphs between the texts of several model calls included. */
  | { readonly type: "text_delta"; readonly text: string }
  /** The model begins its text anew; of the answer so far stands only this. */
  | { readonly type: "text_reset"; readonly text: string }
  | { readonly type: "reasoning_delta"; readonly text: string }
  | ToolEvent
  /** What a tool sent on the way, beside the answer. */
  | { readonly type: "message"; readonly text: string; readonly media: readonly string[] }
  /** What was used so far. */
  | { readonly type: "usage"; readonly usage: ExchangeUsage }
  | ExchangeEnd;

/** Nothing was used. */
export const NOTHING_USED: ExchangeUsage = {
  promptTokens: 0,
  completionTokens: 0,
  totalTokens: 0,
  cachedTokens: 0,
  reasoningTokens: 0,
  isEstimated: false,
};
