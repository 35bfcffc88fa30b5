/**
 * Asks for summaries as a good neighbour of turns: with a permit and within the budgets for each
 * question, and counted as soon as it is answered.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import { estimateTextTokens } from "../../providers/tokens.ts";
import type { PermitLease } from "./approval_desk.ts";
import { chunkText } from "./chunk_text.ts";
import type { SessionServices } from "./ports.ts";
import type { StoredMessage } from "./session_file.ts";
import { chunkTokensMax, summarise, type Summary } from "./summariser.ts";
import type { WantedCall } from "./usage_ledger.ts";

const logger = getLogger(["troupe", "session", "summary_asker"]);

/** What came of asking; `postponed`: a budget is spent, and nobody was asked. */
export type AskedSummary = Summary | { readonly state: "postponed" };

/** Nobody shall be asked. */
export const NOT_ASKED: Summary = {
  state: "failed",
  reason: "nobody was asked",
  isTooLong: false,
};

/** What it asks with. */
export interface SummaryAskerOptions {
  readonly sessionKey: string;
  readonly services: Pick<
    SessionServices,
    "provider" | "settings" | "usage" | "clock" | "journal"
  >;
  /** Each question has one, like a turn. */
  readonly permit: PermitLease;
}

/** Asks for one session, one question at a time. */
export class SummaryAsker {
  readonly #options: SummaryAskerOptions;

  constructor(options: SummaryAskerOptions) {
    this.#options = options;
  }

  /**
   * A text that is too long for the model is tried once more, half as long.
   *
   * @throws the signal's reason when it aborts; {JournalError}
   */
  async ask(messages: readonly StoredMessage[], signal: AbortSignal): Promise<AskedSummary> {
    const { services, permit, sessionKey } = this.#options;
    const tokensMax = chunkTokensMax(services.settings);
    await permit.regain(signal);
    try {
      for (const limit of [tokensMax, Math.floor(tokensMax / 2)]) {
        const text = chunkText(messages, limit);
        if (text === "") return { state: "nothing" };
        const summary = await this.#askFor(text, signal);
        if (summary.state !== "failed") return summary;
        if (summary.isTooLong && limit === tokensMax) continue;
        logger.warn("Cannot sum up {count} messages of {sessionKey}: {reason}", {
          count: messages.length,
          sessionKey,
          reason: summary.reason,
        });
        return summary;
      }
      return NOT_ASKED;
    } finally {
      permit.giveBack();
    }
  }

  /** Others may go on with the rest of a budget once what was used is counted. */
  async #askFor(text: string, signal: AbortSignal): Promise<AskedSummary> {
    const { services, sessionKey } = this.#options;
    const { usage: ledger, journal } = services;
    // With a permit in hand: whoever has reserved must not wait for one that a waiting turn holds.
    const permission = await ledger.reserve(this.#wanted(text), signal);
    if (permission.state === "spent") return { state: "postponed" };
    try {
      const { summary, usage } = await summarise(text, { sessionKey, services }, signal);
      if (usage.length > 0) await journal.commit({ usage });
      return summary;
    } finally {
      permission.release();
    }
  }

  #wanted(text: string): WantedCall {
    const { sessionKey, services: { provider, settings: { model, tokensMax } } } = this.#options;
    const promptTokens = estimateTextTokens(text);
    const usage = {
      promptTokens,
      completionTokens: tokensMax,
      totalTokens: promptTokens + tokensMax,
    };
    const estimate = () => ({
      ...{ sessionKey, provider: provider.name, model, usage },
      isEstimated: true,
    });
    return { sessionKey, unbooked: [], estimate };
  }
}
