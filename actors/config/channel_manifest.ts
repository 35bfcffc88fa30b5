/**
 * What the gateway knows about a channel without loading it.
 * @module
 */

import type { z } from "zod";

/** What every channel's section holds. */
export interface ChannelSection {
  readonly enabled: boolean;
  /** Exact sender ids, or `"*"`; empty denies everyone. */
  readonly allowFrom: readonly string[];
  /** Answers that grow show what the model thinks; for channels that can. @default false */
  readonly showReasoning?: boolean;
}

/** One bot of a section that holds several. */
export interface ChannelInstance<Section extends ChannelSection = ChannelSection> {
  /** Runtime name: that of the channel, or `<channel>.<id>`. */
  readonly name: string;
  /** What counts for it: the section's common keys and its own. */
  readonly section: Section;
  /** Why it does not run, as a sentence naming the key; null when it does. */
  readonly skipped: string | null;
}

/**
 * A channel at rest. Its module imports nothing at run time (zod is handed in), so that config
 * and status can know all channels at no cost.
 */
export interface ChannelManifest<Section extends ChannelSection = ChannelSection> {
  /** Section key, registry name and first part of session keys; holds no `_`. */
  readonly name: string;
  readonly displayName: string;
  /** The section's schema, in camelCase; the config reader accepts snake_case as well. */
  readonly schema: (zod: typeof z) => z.ZodType<Section>;
  /** `host:port` pairs the Worker may reach, from its config. */
  hosts(section: Section): readonly string[];
  /** Files of its config that the Worker may read besides. @default none */
  reads?(section: Section): readonly string[];
  /** Keys whose values are secrets: never logged, never shown. */
  readonly secrets: readonly string[];
  /** What an enabled section lacks, as sentences naming the key; empty when it is complete. */
  missing(section: Section): readonly string[];
  /** The bots of a section, those that are switched off left out. @default one, by the channel's name */
  instances?(section: Section): readonly ChannelInstance<Section>[];
  /**
   * How long the platform lets a send with the same key be repeated without showing twice, in
   * milliseconds, with a margin. @default 0: it has no such key
   */
  readonly idempotencyMs?: number;
  /**
   * Each message is dear there: what is said on the way to an answer that cannot grow is not sent.
   * @default false
   */
  readonly sparesMessages?: boolean;
  /**
   * Its library dies without a right to read the environment. It gets one where this process has
   * it whole, over an environment without secrets. @default false
   */
  readonly needsEnvironment?: boolean;
  /**
   * Its package, where that looks at its own `package.json` and does without it if it must. It may
   * look where this process may: at a terminal, Deno would stop and ask the person.
   * @default it looks at nothing
   */
  readonly curiousPackage?: string;
  /**
   * It keeps keys that are worth as much as a password, which change as it runs: it gets a folder
   * for them among the gateway's own files, out of reach for tools. @default false
   */
  readonly keepsState?: boolean;
}
