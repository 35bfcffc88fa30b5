/**
 * Which texts a journal keeps: all.
 * @module
 */

import assert from "node:assert/strict";
import type { NewInbound } from "../../../actors/journal/journal.ts";
import { accepted, anInbound, unfinishedSessions } from "../../actors/journal/fixtures.ts";
import type { Contract } from "./harness.ts";

/** Texts that storages like to change. */
const TEXTS: readonly (readonly [name: string, text: string])[] = [
  ["nothing", ""],
  ["Chinese", "你好,世界。請問天氣如何?"],
  ["emoji", "👨‍👩‍👧‍👦 🏳️‍🌈 🇨🇳"],
  ["a NUL", "before\0after"],
  ["only NULs", "\0\0"],
  ["half a surrogate pair", "\ud83d and \udc4d the wrong way round"],
  ["quotes", `"quoted" and 'quoted' and \\"escaped\\"`],
  ["JSON", `"\\u0000"`],
  ["a byte order mark", "\ufeffmarked\ufeff"],
  ["line ends", "a\r\nb\nc\u2028d\u2029e\u0085f"],
  ["controls", "\x01\x02\x1b[31m\x7f"],
  ["SQL", "'); drop table inbounds; --"],
  ["numbers", "0012"],
  ["a megabyte", "汉字 and letters ".repeat(60_000)],
];

/** What a storage must not change. */
export function testTexts(contract: Contract): void {
  for (const [name, text] of TEXTS) {
    contract.test(`keeps ${name} in every text as it is`, async ({ home, journal }) => {
      const inbound: NewInbound = {
        channel: text,
        platformId: text,
        sessionKey: text,
        chatId: text,
        senderId: text,
        content: text,
        media: [text],
        context: { [`k${text}`]: text },
        wantsStream: false,
      };
      const outbound = {
        ...inbound,
        key: text,
        state: "pending",
        preamble: text,
        isPlain: false,
        settles: [{ platformId: text, outcome: "done" }],
      } as const;
      const turn = { turnId: text, sessionKey: text, change: "begin" } as const;
      const line = { sessionKey: text, turnId: text, line: 0, inboundSeq: 1, text };
      const taken = await accepted(journal, inbound);
      const [made] = await journal.commit({
        turn,
        lines: [line],
        inbounds: [{ seq: 1, state: "running", turnId: text }],
        outbounds: [outbound],
        inboundMemory: [{ channel: text, platformId: text, channelState: [text] }],
      });
      await journal.commit({ outboundChanges: [{ key: text, error: text, receipt: [text] }] });
      await journal[Symbol.asyncDispose]();
      await using reopened = home.open();
      assert.deepEqual(await reopened.accept(inbound), { state: "duplicate", seq: 1 });
      assert.deepEqual(await reopened.interrupted(text), {
        turn: { turnId: text, sessionKey: text, attempts: 1, lines: 1, soloSeq: null },
        inbounds: [{ ...taken, state: "running", turnId: text, channelState: [text] }],
      });
      assert.deepEqual(await reopened.unfiledLines(text), [line]);
      assert.deepEqual(await unfinishedSessions(reopened), [text]);
      const sent = { ...made, error: text, receipt: [text] };
      assert.deepEqual(await reopened.outbox({ channel: text, afterId: 0, limit: 9 }), [sent]);
      assert.deepEqual(await reopened.outbound(text), sent);
    });
  }

  contract.test("tells texts apart that differ in what storages cut off", async ({ journal }) => {
    const ids = ["a", "a\0", "a\0b", '"a\\u0000"', "\ud800", "\udfff", "\ufffd", "\ufeffa", "A"];
    for (const platformId of ids) {
      assert.equal((await journal.accept(anInbound({ platformId }))).state, "accepted");
    }
  });
}
