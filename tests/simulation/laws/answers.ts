/**
 * Laws about people's messages: each is taken in once, comes to one end, and hears one word.
 * @module
 */

import {
  type Inbound,
  type Outbound,
  subagentInputId,
  SYSTEM_CHANNEL,
  systemSource,
} from "../../../actors/journal/journal.ts";
import { parseCommand } from "../../../actors/session/command_table.ts";
import type { SeenInbound } from "../journal_watch.ts";
import { marksIn, textOf } from "../marks.ts";
import type { FinishedWorld } from "../world.ts";
import type { Law } from "./law.ts";

/** Some commits, and for a new session some writes to the disk, as slow as the world makes them. */
const COMMAND_MS_MAX = 2_500;
/** More sessions than any world has. */
const SESSIONS_MAX = 10;
/** So long a failure has its effects: sessions wait before they try again. */
const CALM_MS = 60_000;

/** Those that people wrote. */
function ofPeople({ inbounds }: FinishedWorld["watch"]): SeenInbound[] {
  return [...inbounds.values()].filter(({ row }) => row.channel !== SYSTEM_CHANNEL);
}

/** A subagent that nobody stopped reports, and only then its session goes on with that. */
function hearsOfEachSubagent({ watch }: FinishedWorld): string[] {
  return [...watch.inbounds.values()]
    .filter(({ row }) => systemSource(row) === "subagent" && row.state !== "stopped")
    .filter(({ row }) => row.draft !== null || !row.content.startsWith("[Result of a subagent"))
    .map(({ row }) => `the subagent of inbound ${row.seq} is ${row.state} without a report`);
}

/** What is due, and what subagents found, is answered in the chat that it belongs to. */
function answersWhatComesFromInside({ watch, plan }: FinishedWorld): string[] {
  const rows = [...watch.outbounds.values()].map(({ row }) => row);
  return [...watch.inbounds.values()].flatMap(({ row }) => {
    const { seq, platformId, channel, state, turnId } = row;
    if (channel !== SYSTEM_CHANNEL || state !== "done") return [];
    const chat = chatOf(row, plan);
    const isAnswered = rows.some((answer) =>
      answer.key.startsWith(`${turnId}:`) && `${answer.channel}:${answer.chatId}` === chat
    );
    return chat === null || isAnswered ? [] : [`inbound ${seq} (${platformId}) is not answered`];
  });
}

/** The chat that a job was planned for, or a subagent was started in; null where that is none. */
function chatOf({ platformId, sessionKey }: Inbound, { jobs }: FinishedWorld["plan"]) {
  const [source, id] = platformId.split(":");
  if (source === "cron") {
    const chat = jobs.find((job) => job.id === id)?.chat ?? null;
    return chat && `${chat.channel}:${chat.chatId}`;
  }
  // A unified conversation does not say where it was had.
  return /^(?:stream|plain):/.test(sessionKey) ? sessionKey : null;
}

/** Whatever a person writes is accepted, once, and nothing else is. */
function takesEachMessageInOnce({ watch, platforms }: FinishedWorld): string[] {
  const accepted = Map.groupBy(ofPeople(watch), ({ row }) => row.platformId);
  const posted = [...platforms.values()].flatMap((platform) => platform.posted);
  const breaches = posted
    .map(({ platformId }) => ({ platformId, times: accepted.get(platformId)?.length ?? 0 }))
    .filter(({ times }) => times !== 1)
    .map(({ platformId, times }) => `${platformId} was accepted ${times} times`);
  const known = new Set(posted.map(({ platformId }) => platformId));
  const invented = [...accepted.keys()].filter((platformId) => !known.has(platformId));
  return [...breaches, ...invented.map((platformId) => `${platformId} was never posted`)];
}

/** What is worked on is what was written. */
function worksOnWhatWasWritten({ watch, platforms }: FinishedWorld): string[] {
  return ofPeople(watch).flatMap(({ row }) => {
    const written = platforms.get(row.channel)?.messageOf(row.platformId);
    const isRight = row.content === written?.text || row.state === "stopped";
    return isRight ? [] : [`inbound ${row.seq} is "${row.content}" for "${written?.text}"`];
  });
}

/** Every accepted message comes to an end. */
function bringsEachMessageToAnEnd({ watch }: FinishedWorld): string[] {
  return [...watch.inbounds.values()]
    .filter(({ endedAt }) => endedAt === undefined)
    .map(({ row }) => `inbound ${row.seq} (${row.platformId}) is still ${row.state}`);
}

/** One row answers a message, with the outcome that the message came to. */
function answersEachMessageOnce(world: FinishedWorld): string[] {
  return ofPeople(world.watch).flatMap((inbound) => {
    const { seq, state } = inbound.row;
    const answers = answersTo(inbound, world);
    if (answers.length === 0 && wasTakenBack(inbound, world)) return [];
    if (answers.length !== 1) return [`inbound ${seq} is settled by ${answers.length} rows`];
    return answers
      .flatMap(({ settles }) => settles)
      .filter(({ platformId }) => platformId === inbound.row.platformId)
      .filter(({ outcome }) => outcome !== (state === "parked" ? "failed" : state))
      .map(({ outcome }) => `inbound ${seq} is ${state}, its answer says ${outcome}`);
  });
}

/** Every end but done says a word to the sender; done is silent only after a tool spoke there. */
function saysAWordAtEachEnd(world: FinishedWorld): string[] {
  const { watch } = world;
  return [...watch.inbounds.values()].flatMap((inbound) => {
    const { seq, state, channel, chatId, turnId } = inbound.row;
    return answersTo(inbound, world)
      .filter(({ content }) => content.trim() === "")
      .filter(() => {
        if (state !== "done") return true;
        return ![...watch.outbounds.values()].some(({ row }) =>
          row.key.startsWith(`${turnId}:`) && row.key.split(":").length > 2 &&
          row.channel === channel && row.chatId === chatId
        );
      })
      .map(({ key }) => `inbound ${seq} is ${state}, but ${key} says nothing`);
  });
}

/** A model's answer is to the messages that it settles: it was shown each of them. */
function answersWhatWasAsked(world: FinishedWorld): string[] {
  return [...world.watch.inbounds.values()].flatMap((inbound) => {
    const { seq, content, state } = inbound.row;
    if (state !== "done" || parseCommand(content) !== null) return [];
    return answersTo(inbound, world)
      .filter((row) => row.content.includes("Answer to"))
      .filter((row) => !marksIn(content).every((mark) => marksIn(row.content).includes(mark)))
      .map((row) => `inbound ${seq} asked "${content}", ${row.key} is "${row.content}"`);
  });
}

/** The answer goes to the chat where the message was written. */
function answersInTheSameChat(world: FinishedWorld): string[] {
  return [...world.watch.inbounds.values()].flatMap((inbound) =>
    answersTo(inbound, world)
      .filter(({ channel, chatId }) =>
        channel !== inbound.row.channel || chatId !== inbound.row.chatId
      )
      .map(({ key, channel, chatId }) =>
        `inbound ${inbound.row.seq} is settled by ${key} in ${channel}:${chatId}`
      )
  );
}

/** `/stop` and `/new` leave nothing unfinished that was accepted before them. */
function stopsAllBefore({ watch }: FinishedWorld): string[] {
  const inbounds = [...watch.inbounds.values()];
  return inbounds.flatMap((command) => {
    const { seq, sessionKey, content, state } = command.row;
    const name = parseCommand(content)?.name;
    if ((name !== "stop" && name !== "new") || state !== "done") return [];
    return inbounds
      .filter(({ row }) => row.sessionKey === sessionKey && row.seq < seq)
      .filter(({ row }) => parseCommand(row.content) === null)
      .filter(({ endedAt }) => (endedAt ?? Infinity) > (command.endedAt ?? Infinity))
      .map(({ row }) => `inbound ${row.seq} outlived the ${name} of ${seq}`);
  });
}

/**
 * Nothing is stopped by a command that was accepted before it; but a turn that goes on while a
 * command waits starts subagents, which end with it. One whose row became durable only when its
 * call had been ended is taken back at once, whatever ended that call.
 */
function stopsOnlyOnRequest(world: FinishedWorld): string[] {
  const inbounds = [...world.watch.inbounds.values()];
  return inbounds
    .filter(({ row }) => row.state === "stopped")
    .filter((inbound) => !wasTakenBack(inbound, world))
    .filter(({ row }) => row.draft === null || wasToldOf(row, world))
    .filter(({ row, endedAt }) =>
      !inbounds.some((command) =>
        command.row.sessionKey === row.sessionKey && command.endedAt === endedAt &&
        (command.row.seq > row.seq || systemSource(row) === "subagent") &&
        parseCommand(command.row.content) !== null
      )
    )
    .map(({ row }) => `inbound ${row.seq} was stopped by nobody`);
}

/** Whether a turn was told that the subagent of a row had started. */
function wasToldOf(row: Inbound, { watch }: FinishedWorld): boolean {
  if (systemSource(row) !== "subagent") return true;
  const id = row.platformId.slice(subagentInputId("").length);
  return watch.allLines().some(({ line, message }) =>
    line.sessionKey === row.sessionKey && message?.role === "tool" &&
    textOf(message).includes(`(${id})`)
  );
}

/** Messages of one chat come to their ends in the order in which they were accepted. */
function answersInOrder(world: FinishedWorld): string[] {
  const messages = ofPeople(world.watch)
    .filter(({ row }) => parseCommand(row.content) === null)
    .filter((inbound) => !wasTakenBack(inbound, world))
    .toSorted((a, b) => a.row.seq - b.row.seq);
  const chats = Map.groupBy(messages, ({ row }) => `${row.channel}:${row.chatId}`);
  return [...chats.values()].flatMap((chat) =>
    chat.flatMap((later, index) => {
      const before = chat[index - 1];
      const isOvertaken = (before?.endedAt ?? 0) > (later.endedAt ?? Infinity);
      return isOvertaken ? [`inbound ${later.row.seq} overtook ${before?.row.seq}`] : [];
    })
  );
}

/** Commands wait for no turn: while nothing fails and all may be awake they are answered at once. */
function answersCommandsAtOnce({ watch, plan, record }: FinishedWorld): string[] {
  if (plan.slowCommitShare > 0 || plan.awakeMax < SESSIONS_MAX) return [];
  return [...watch.inbounds.values()]
    .filter(({ row }) => parseCommand(row.content) !== null)
    .map(({ row, endedAtMs = Infinity }) => ({ row, fromMs: row.acceptedAtMs, untilMs: endedAtMs }))
    .filter(({ fromMs, untilMs }) => untilMs - fromMs > COMMAND_MS_MAX)
    .filter(({ fromMs, untilMs }) =>
      !record.disturbances.some((disturbance) =>
        disturbance.fromMs <= untilMs && disturbance.untilMs >= fromMs - CALM_MS
      )
    )
    .map(({ row, fromMs, untilMs }) =>
      `inbound ${row.seq} (${row.content}) took ${untilMs - fromMs} ms`
    );
}

/** It was dropped, or could have been, because its sender took it back. */
function wasTakenBack({ row }: SeenInbound, { platforms }: FinishedWorld): boolean {
  const platform = platforms.get(row.channel);
  return row.state === "stopped" && (platform?.takenBack.has(row.platformId) ?? false);
}

function answersTo({ row }: SeenInbound, { watch }: FinishedWorld): Outbound[] {
  return [...watch.outbounds.values()]
    .map((outbound) => outbound.row)
    .filter(({ channel }) => channel === row.channel)
    .filter(({ settles }) => settles.some(({ platformId }) => platformId === row.platformId));
}

/** By their names. */
export const answerLaws: Readonly<Record<string, Law>> = {
  takesEachMessageInOnce,
  worksOnWhatWasWritten,
  hearsOfEachSubagent,
  answersWhatComesFromInside,
  bringsEachMessageToAnEnd,
  answersEachMessageOnce,
  saysAWordAtEachEnd,
  answersWhatWasAsked,
  answersInTheSameChat,
  stopsAllBefore,
  stopsOnlyOnRequest,
  answersInOrder,
  answersCommandsAtOnce,
};
