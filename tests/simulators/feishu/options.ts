/**
 * What a test may choose about the platform, and what holds without a choice.
 * @module
 */

import { systemClock, systemRandom } from "../../../actors/kernel/adapters/system_clock.ts";
import type { Clock } from "../../../actors/kernel/clock.ts";
import type { Random } from "../../../actors/kernel/random.ts";
import type { CardRules } from "./card_entity.ts";
import { CARD_LIMITS } from "./card_json.ts";
import { DOCUMENTED_REDELIVERY, type RedeliverySchedule } from "./delivery.ts";
import type { EnvelopeFrame } from "./envelope.ts";
import { DOCUMENTED_LIMITS, type RateLimits } from "./limits.ts";
import type { ClientConfig } from "./long_connection.ts";
import type { AppIdentity } from "./routes_account.ts";
import { KNOWN_EMOJI } from "./routes_reactions.ts";

/** What a test may choose; everything has a default. */
export interface FeishuPlatformOptions {
  /** Time of limits, streaming ends and redelivery. @default the machine's */
  readonly clock?: Clock;
  /** Chooses the connection of each event, and ids. @default the engine's */
  readonly random?: Random;
  /** @default an id of its own, as the SDK keeps tokens by app id for the whole process */
  readonly appId?: string;
  /** @default "test-secret" */
  readonly appSecret?: string;
  /** @default "Troupe" */
  readonly botName?: string;
  /** Times in seconds. @default what the platform says: -1, 120, 30, 120 */
  readonly clientConfig?: Partial<ClientConfig>;
  /** @default as documented */
  readonly redelivery?: RedeliverySchedule;
  /** @default as documented; `NO_LIMITS` switches all off */
  readonly limits?: Partial<RateLimits>;
  /** @default as documented: 10 minutes of streaming, 14 days, 30 KB, 200 elements, 5 tables */
  readonly cardRules?: Partial<CardRules>;
  /** Emoji keys that exist. @default KNOWN_EMOJI */
  readonly emoji?: ReadonlySet<string>;
  /** Event types the app subscribed to. @default only received messages */
  readonly subscribedEvents?: readonly string[];
  /**
   * Keeps HTTP connections open between requests. Deno's clients repeat a request by themselves
   * when a kept connection breaks before the answer, so a planted break then shows as two calls,
   * or as none that failed. @default false, so that each fault meets exactly one request
   */
  readonly keepsConnections?: boolean;
  /** Set on the console: events travel encrypted. */
  readonly encryptKey?: string;
  /** Scopes that the app lacks. @default none */
  readonly missingScopes?: readonly string[];
}

/** The options with everything decided. */
export interface PlatformSettings {
  readonly clock: Clock;
  readonly random: Random;
  /** Hex digits that make this platform's ids unlike those of another one. */
  readonly tag: string;
  readonly app: AppIdentity;
  readonly envelopes: EnvelopeFrame;
  readonly clientConfig: ClientConfig;
  readonly redelivery: RedeliverySchedule;
  readonly limits: RateLimits;
  readonly cardRules: CardRules;
  readonly emoji: ReadonlySet<string>;
  readonly subscribedEvents: ReadonlySet<string>;
  readonly keepsConnections: boolean;
  readonly encryptKey: string | undefined;
  readonly missingScopes: readonly string[];
}

/** What the platform tells its clients, in seconds. */
const CLIENT_CONFIG: ClientConfig = {
  ReconnectCount: -1,
  ReconnectInterval: 120,
  ReconnectNonce: 30,
  PingInterval: 120,
};
const STREAMING_MS = 600_000;
const CARD_LIFE_MS = 14 * 86_400_000;

/** Fills in the defaults. */
export function decide(options: FeishuPlatformOptions): PlatformSettings {
  const { clock = systemClock, random = systemRandom, botName = "Troupe" } = options;
  const tag = hexDigits(random);
  const { appId = `cli_${tag}${hexDigits(random)}`, appSecret = "test-secret" } = options;
  const botOpenId = `ou_bot${tag}`;
  return {
    clock,
    random,
    tag,
    app: { appId, appSecret, botOpenId, botName },
    envelopes: {
      appId,
      botOpenId,
      tenantKey: "tenant-1",
      verificationToken: "verification-token",
    },
    clientConfig: { ...CLIENT_CONFIG, ...options.clientConfig },
    redelivery: options.redelivery ?? DOCUMENTED_REDELIVERY,
    limits: { ...DOCUMENTED_LIMITS, ...options.limits },
    cardRules: {
      ...CARD_LIMITS,
      streamingMs: STREAMING_MS,
      lifeMs: CARD_LIFE_MS,
      ...options.cardRules,
    },
    emoji: options.emoji ?? KNOWN_EMOJI,
    subscribedEvents: new Set(options.subscribedEvents),
    keepsConnections: options.keepsConnections ?? false,
    encryptKey: options.encryptKey,
    missingScopes: options.missingScopes ?? [],
  };
}

function hexDigits(random: Random): string {
  return Math.floor(random.next() * 0xffff_ffff).toString(16).padStart(8, "0");
}
