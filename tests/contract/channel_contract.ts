/**
 * What every channel does, whatever its platform. `docs/channels.md` says how to put one under it.
 * @module
 */

import { testChoices } from "./channel/choices.ts";
import { Contract } from "./channel/contract.ts";
import { testFaults } from "./channel/faults.ts";
import type { ChannelUnderContract } from "./channel/harness.ts";
import { testInbound } from "./channel/inbound.ts";
import { testLife } from "./channel/life.ts";
import { testOutbound } from "./channel/outbound.ts";
import { testStreams } from "./channel/streams.ts";

export type {
  ChannelHarness,
  ChannelUnderContract,
  Said,
  Saying,
  SectionWishes,
  SendFailure,
  SentFile,
  ShownFile,
  ShownMessage,
} from "./channel/harness.ts";

/** Registers the suite for one channel. */
export function describeChannel(channel: ChannelUnderContract): void {
  const contract = new Contract(channel);
  testInbound(contract);
  testOutbound(contract);
  testStreams(contract);
  testChoices(contract);
  testFaults(contract);
  testLife(contract);
}
