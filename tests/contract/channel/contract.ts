/**
 * How the parts of the channel contract register their tests.
 * @module
 */

import type { ChannelUnderContract, SectionWishes } from "./harness.ts";
import { RunningChannel } from "./running.ts";

/** Registers tests for one channel. */
export class Contract {
  readonly channel: ChannelUnderContract;

  constructor(channel: ChannelUnderContract) {
    this.channel = channel;
  }

  /** Registers a test on a fresh platform, with the channel connected. */
  test(
    behaviour: string,
    body: (running: RunningChannel) => Promise<void>,
    wishes: SectionWishes = {},
  ): void {
    this.testStart(behaviour, async (running) => {
      await running.isReady();
      await body(running);
    }, wishes);
  }

  /** Registers a test on a fresh platform, with the channel on its way. */
  testStart(
    behaviour: string,
    body: (running: RunningChannel) => Promise<void>,
    wishes: SectionWishes = {},
  ): void {
    Deno.test(`Channel ${this.channel.name} ${behaviour}`, async () => {
      await using running = await RunningChannel.start(this.channel, wishes);
      await body(running);
    });
  }
}
