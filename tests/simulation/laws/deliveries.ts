/**
 * Laws about what people see on their platforms.
 * @module
 */

import type { Outbound } from "../../../actors/journal/journal.ts";
import { hasEndedOutbound } from "../../../actors/journal/outbound_rules.ts";
import type { SeenOutbound } from "../journal_watch.ts";
import type { ShownMessage, SimulatedPlatform } from "../platform.ts";
import type { FinishedWorld } from "../world.ts";
import type { Law } from "./law.ts";

/** Longer than any outage of a world. */
const KEYS_HOLD_MS = 3_600_000;

/** Every row comes to an end. */
function bringsEachRowToAnEnd({ watch }: FinishedWorld): string[] {
  return [...watch.outbounds.values()]
    .filter(({ row }) => !hasEndedOutbound(row))
    .map(({ row }) => `outbound ${row.key} is still ${row.state}`);
}

/** Nothing is shown twice, unless it says that it may be a repetition. */
function repeatsNothingBlindly({ platforms }: FinishedWorld): string[] {
  return [...platforms.values()].flatMap(({ shown }) =>
    [...Map.groupBy(shown, ({ key }) => key)]
      .filter(([, messages]) => messages.filter(({ hasNotice }) => !hasNotice).length > 1)
      .map(([key, messages]) => `${key} is shown ${messages.length} times`)
  );
}

/** Where keys hold for longer than the world lasts, nothing is shown twice at all. */
function showsNothingTwice({ platforms }: FinishedWorld): string[] {
  return [...platforms.values()]
    .filter(({ plan }) => plan.idempotencyMs >= KEYS_HOLD_MS)
    .flatMap(({ shown }) =>
      [...Map.groupBy(shown, ({ key }) => key)]
        .filter(([, messages]) => messages.length > 1)
        .map(([key, messages]) => `${key} is shown ${messages.length} times`)
    );
}

/** Doubt is left only where a row was sent again, and that is in doubt as well. */
function leavesNoDoubtWithoutReason(world: FinishedWorld): string[] {
  return rowsIn(world, ["unknown"])
    .filter(({ row }) => !row.mayRepeat)
    .map(({ row }) => `${row.key} is left in doubt`);
}

/** A row fails only where its platform refuses it for good. */
function givesUpOnlyWhenRefused(world: FinishedWorld): string[] {
  return rowsIn(world, ["failed"])
    .filter(({ row }) => !row.error?.includes("refused"))
    .map(({ row }) => `${row.key} is given up: ${row.error}`);
}

/** What counts as sent is there, final, and says what the answer was. */
function showsWhatWasSaid(world: FinishedWorld): string[] {
  return rowsIn(world, ["sent"]).flatMap(({ row, platform }) => {
    const text = expectedText(row, world);
    const messages = platform.shown.filter(({ key }) => key === row.key);
    if (text.trim() === "") {
      return messages.some(({ finalAt }) => finalAt !== undefined)
        ? [`${row.key} says nothing, but is shown`]
        : [];
    }
    if (messages.length === 0) return [`${row.key} counts as sent, but is not shown`];
    return messages
      .filter(({ finalAt, text: shown }) =>
        finalAt === undefined || (row.mayRepeat ? !shown.endsWith(text) : shown !== text)
      )
      .map((message) => `${row.key} shows "${message.text}" for "${text}"`);
  });
}

/** Nothing is shown that was not said, or that does not belong into the chat. */
function showsOnlyWhatWasSaid({ platforms, watch }: FinishedWorld): string[] {
  return [...platforms.values()].flatMap(({ plan, shown }) =>
    shown
      .filter(({ key }) => !key.startsWith("progress:"))
      .filter(({ key, chatId }) => {
        const row = watch.outbounds.get(key)?.row;
        return row?.channel !== plan.name || row.chatId !== chatId;
      })
      .map(({ key, chatId }) => `${key} is shown in ${plan.name}:${chatId}`)
  );
}

/** In one chat, what was to be sent earlier is seen earlier. */
function showsInOrder(world: FinishedWorld): string[] {
  const rows = rowsIn(world, ["sent"]).flatMap(({ row, seen, platform }) => {
    const finalAt = firstFinal(platform.shown.filter(({ key }) => key === row.key));
    return finalAt === undefined ? [] : [{ row, seen, finalAt }];
  });
  const chats = Map.groupBy(rows, ({ row }) => `${row.channel}:${row.chatId}`);
  return [...chats.values()].flatMap((chat) =>
    chat.flatMap((first) =>
      chat
        .filter((second) => isDueBefore(first.seen, second.seen))
        .filter((second) => second.finalAt < first.finalAt)
        .map((second) => `${second.row.key} is shown before ${first.row.key}`)
    )
  );
}

/** Reactions say how the messages ended; what a channel remembered about one comes back to it. */
function settlesAsItEnded({ platforms, watch }: FinishedWorld): string[] {
  const inbounds = [...watch.inbounds.values()].map(({ row }) => row);
  return [...platforms.values()].flatMap(({ plan, settled }) =>
    settled.flatMap(({ platformId, outcome, channelState, key }) => {
      const inbound = inbounds.find((row) =>
        row.channel === plan.name && row.platformId === platformId
      );
      const isSame = channelState === null ||
        JSON.stringify(channelState) === JSON.stringify({ reaction: platformId });
      if (!isSame) return [`${key} settles ${platformId} with ${JSON.stringify(channelState)}`];
      const expected = inbound?.state === "parked" ? "failed" : inbound?.state;
      return expected === outcome
        ? []
        : [`${key} settles ${platformId} as ${outcome}, it is ${inbound?.state}`];
    })
  );
}

/** Whatever an answer that arrived settles, is settled. */
function settlesAllThatWasAnswered(world: FinishedWorld): string[] {
  return rowsIn(world, ["sent"]).flatMap(({ row, platform }) =>
    row.settles
      .filter(({ platformId }) =>
        !platform.settled.some((settled) =>
          settled.key === row.key && settled.platformId === platformId
        )
      )
      .map(({ platformId }) => `${row.key} is sent, but ${platformId} is not settled`)
  );
}

interface RowOfPlatform {
  readonly row: Outbound;
  readonly seen: SeenOutbound;
  readonly platform: SimulatedPlatform;
}

function rowsIn(
  { watch, platforms }: FinishedWorld,
  states: readonly Outbound["state"][],
): RowOfPlatform[] {
  return [...watch.outbounds.values()]
    .filter(({ row }) => states.includes(row.state))
    .flatMap((seen) => {
      const platform = platforms.get(seen.row.channel);
      return platform === undefined ? [] : [{ row: seen.row, seen, platform }];
    });
}

/** Both by their numbers and by the commits that made them due: after a crash numbers count. */
function isDueBefore(first: SeenOutbound, second: SeenOutbound): boolean {
  return first.row.id < second.row.id && (first.pendingAt ?? Infinity) < second.madeAt;
}

function firstFinal(messages: readonly ShownMessage[]): number | undefined {
  const finals = messages.flatMap(({ finalAt }) => finalAt === undefined ? [] : [finalAt]);
  return finals.length === 0 ? undefined : Math.min(...finals);
}

function expectedText({ channel, preamble, content }: Outbound, { plan }: FinishedWorld): string {
  const isStreaming = plan.channels.some(({ name, isStreaming }) =>
    name === channel && isStreaming
  );
  if (!isStreaming || !plan.sendsProgress) return content;
  return [preamble, content].filter((text) => text !== "").join("\n\n");
}

/** By their names. */
export const deliveryLaws: Readonly<Record<string, Law>> = {
  bringsEachRowToAnEnd,
  repeatsNothingBlindly,
  showsNothingTwice,
  leavesNoDoubtWithoutReason,
  givesUpOnlyWhenRefused,
  showsWhatWasSaid,
  showsOnlyWhatWasSaid,
  showsInOrder,
  settlesAsItEnded,
  settlesAllThatWasAnswered,
};
