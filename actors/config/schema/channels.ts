/**
 * Section `channels`: what all channels share. The section of each channel has its own schema, in
 * the channel's manifest.
 * @module
 */

import { z } from "zod";
import { textOrNull, wholeNumber } from "./values.ts";

/** Keys of section `channels` that are not the name of a channel. */
export interface CommonChannelsConfig {
  /** Shows text that the assistant writes before its answer. */
  readonly sendProgress: boolean;
  /** Shows which tools run. */
  readonly sendToolHints: boolean;
  /** Attempts to deliver, the first one included; 0 still makes one. */
  readonly sendMaxRetries: number;
  /** Days after which files that were sent to us are removed; 0 keeps them. */
  readonly mediaDays: number;
  /** Megabytes of such files beyond which the oldest are removed; 0 is no bound. */
  readonly mediaMegabytes: number;
  /** Who turns voice into text: a name of section `providers`. */
  readonly transcriptionProvider: string;
  /** What the service is asked for; null takes its usual model. */
  readonly transcriptionModel: string | null;
}

/** Schema of the common keys of section `channels`. */
export const channelsSchema: z.ZodType<CommonChannelsConfig> = z.object({
  sendProgress: z.boolean().default(true),
  sendToolHints: z.boolean().default(false),
  sendMaxRetries: wholeNumber(0, 10).default(3),
  mediaDays: wholeNumber(0, 3_650).default(30),
  mediaMegabytes: wholeNumber(0, 1_000_000).default(2_000),
  transcriptionProvider: z.string().default("groq"),
  transcriptionModel: textOrNull(),
});
