import assert from "node:assert/strict";
import type { HistoryLine, Step } from "../../../actors/journal/journal.ts";
import { MemoryJournal } from "../../../actors/journal/memory_journal.ts";
import { nextTurn } from "../../../actors/kernel/adapters/event_loop.ts";
import type { Conversation } from "../../../actors/session/conversation.ts";
import {
  encodeMessageLine,
  parseMessageLine,
  type StoredMessage,
} from "../../../actors/session/session_file.ts";
import { lineIdOf, SessionStore } from "../../../actors/session/session_store.ts";
import { ManualClock } from "../../support/manual_clock.ts";
import { MemorySessionFiles } from "../../support/memory_session_files.ts";

const KEY = "feishu:oc_1";
const FILE = "feishu_oc_1.jsonl";
const START_MS = Date.UTC(2026, 0, 1);

/** A store over a journal and a disk, as they are after a start. */
class World implements AsyncDisposable {
  readonly clock = new ManualClock(START_MS);
  readonly journal: MemoryJournal;
  readonly files: MemorySessionFiles;
  readonly store: SessionStore;

  constructor(texts: Record<string, string> = {}) {
    this.journal = new MemoryJournal({ clock: this.clock, defer: nextTurn });
    this.files = new MemorySessionFiles(texts);
    this.store = this.restarted();
  }

  /** A further store over the same journal and disk. */
  restarted(): SessionStore {
    const { files, journal, clock } = this;
    return new SessionStore({ files, journal, clock });
  }

  /** Commits lines of a turn, as a step does. */
  async commit(turnId: string, first: number, ...contents: string[]): Promise<HistoryLine[]> {
    const lines = contents.map((content, index) => historyLine(turnId, first + index, content));
    const change = first === 0 ? "begin" : "progress";
    await this.journal.commit({ turn: { turnId, sessionKey: KEY, change }, lines });
    return lines;
  }

  async unfiled(): Promise<string[]> {
    return (await this.journal.unfiledLines(KEY)).map(lineIdOf);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.journal[Symbol.asyncDispose]();
  }
}

function historyLine(turnId: string, line: number, content: string): HistoryLine {
  const text = encodeMessageLine({ role: "user", content }, {
    timestampMs: START_MS,
    lineId: `${turnId}:${line}`,
  });
  return { sessionKey: KEY, turnId, line, inboundSeq: null, text };
}

function contentsOf(conversation: Conversation): unknown[] {
  return conversation.messages.map(({ message }) => message.content);
}

function contentsIn(files: MemorySessionFiles, name: string = FILE): unknown[] {
  return files.lines(name).map((line) =>
    typeof line === "object" && line !== null && "content" in line ? line.content : "metadata"
  );
}

Deno.test("SessionStore begins a session without making a file", async () => {
  await using world = new World();
  const conversation = await world.store.load(KEY);
  assert.deepEqual(contentsOf(conversation), []);
  assert.equal(world.files.texts.size, 0);
});

Deno.test("SessionStore files committed lines behind a metadata line and drops their copies", async () => {
  await using world = new World();
  const conversation = await world.store.load(KEY);
  const lines = await world.commit("t1", 0, "one", "two");
  assert.equal(await world.store.file(conversation, lines), "filed");
  assert.deepEqual(contentsIn(world.files), ["metadata", "one", "two"]);
  assert.partialDeepStrictEqual(world.files.lines(FILE)[0], {
    _type: "metadata",
    key: KEY,
    created_at: "2026-01-01T00:00:00.000Z",
    last_consolidated: 0,
  });
  assert.deepEqual(await world.unfiled(), []);
});

Deno.test("SessionStore touches a file once a step, and reads it only at the load", async () => {
  await using world = new World();
  const conversation = await world.store.load(KEY);
  for (const [n, content] of ["one", "two", "three"].entries()) {
    await world.store.file(conversation, await world.commit("t1", n, content));
  }
  assert.deepEqual(world.files.actions.filter((action) => action.endsWith(FILE)), [
    `read ${FILE}`,
    `append ${FILE}`,
    `append ${FILE}`,
    `append ${FILE}`,
  ]);
});

Deno.test("SessionStore reads back what it filed", async () => {
  await using world = new World();
  const conversation = await world.store.load(KEY);
  await world.store.file(conversation, await world.commit("t1", 0, "你好\u2028", "\ud800"));
  assert.deepEqual(contentsOf(await world.restarted().load(KEY)), ["你好\u2028", "\ud800"]);
});

Deno.test("SessionStore appends lines that are only in the journal when it loads", async () => {
  await using world = new World();
  await world.commit("t1", 0, "one", "two");
  const conversation = await world.store.load(KEY);
  assert.deepEqual(contentsOf(conversation), ["one", "two"]);
  assert.deepEqual(contentsIn(world.files), ["metadata", "one", "two"]);
  assert.deepEqual(await world.unfiled(), []);
});

Deno.test("SessionStore knows a line that is in journal and file again", async () => {
  await using world = new World();
  const lines = await world.commit("t1", 0, "one", "two");
  world.files.texts.set(FILE, `${lines[0]?.text}\n`); // a crash between append and drop
  const conversation = await world.store.load(KEY);
  assert.deepEqual(contentsOf(conversation), ["one", "two"]);
  assert.deepEqual(contentsIn(world.files), ["one", "two"]);
  assert.deepEqual(await world.unfiled(), []);
});

Deno.test("SessionStore makes a line whole that a crash has cut", async () => {
  await using world = new World();
  const lines = await world.commit("t1", 0, "one", "two");
  const [first = "", second = ""] = lines.map(({ text }) => text);
  world.files.texts.set(FILE, `${first}\n${second.slice(0, 10)}`);
  assert.deepEqual(contentsOf(await world.store.load(KEY)), ["one", "two"]);
  assert.deepEqual(contentsIn(world.files), ["one", "two"]);
});

Deno.test("SessionStore keeps lines that cannot be filed and files them at the next step", async () => {
  await using world = new World();
  const conversation = await world.store.load(KEY);
  world.files.fault = () => {
    throw new Error("disk full");
  };
  assert.equal(
    await world.store.file(conversation, await world.commit("t1", 0, "one")),
    "deferred",
  );
  assert.deepEqual(await world.unfiled(), ["t1:0"]);
  world.files.fault = () => {};
  assert.equal(await world.store.file(conversation, await world.commit("t1", 1, "two")), "filed");
  assert.deepEqual(contentsIn(world.files), ["metadata", "one", "two"]);
  assert.deepEqual(await world.unfiled(), []);
});

Deno.test("SessionStore files a line once when only its copy could not be dropped", async () => {
  await using world = new World();
  const dropLines = world.journal.dropLines.bind(world.journal);
  let isBroken = true;
  const journal = {
    unfiledLines: (key: string) => world.journal.unfiledLines(key),
    dropLines: (lines: readonly HistoryLine[]) =>
      isBroken ? Promise.reject(new Error("locked")) : dropLines(lines),
    sync: () => world.journal.sync(),
    note: (key: string) => world.journal.note(key),
    commit: (step: Step) => world.journal.commit(step),
  };
  const store = new SessionStore({ files: world.files, journal, clock: world.clock });
  const conversation = await store.load(KEY);
  assert.equal(await store.file(conversation, await world.commit("t1", 0, "one")), "filed");
  isBroken = false;
  await store.file(conversation, await world.commit("t1", 1, "two"));
  assert.deepEqual(contentsIn(world.files), ["metadata", "one", "two"]);
  assert.deepEqual(await world.unfiled(), []);
});

Deno.test("SessionStore keeps the order of lines that are filed side by side", async () => {
  await using world = new World();
  const conversation = await world.store.load(KEY);
  const contents = Array.from({ length: 20 }, (_, n) => `line ${n}`);
  const steps = [];
  for (const [n, content] of contents.entries()) {
    steps.push(world.store.file(conversation, await world.commit("t1", n, content)));
  }
  await Promise.all(steps);
  assert.deepEqual(contentsIn(world.files), ["metadata", ...contents]);
});

Deno.test("SessionStore moves damaged lines aside, once", async () => {
  const good = `{"role":"user","content":"one"}`;
  await using world = new World({ [FILE]: `${good}\nrubbish\n42\n${good}\n` });
  assert.deepEqual(contentsOf(await world.store.load(KEY)), ["one", "one"]);
  assert.equal(world.files.texts.get(FILE), `${good}\n${good}\n`);
  assert.equal(world.files.texts.get(`${FILE}.corrupt`), "rubbish\n42\n");
  await world.restarted().load(KEY);
  assert.equal(world.files.texts.get(`${FILE}.corrupt`), "rubbish\n42\n");
});

Deno.test("SessionStore does not put lines aside twice when the repair failed half-way", async () => {
  await using world = new World({ [FILE]: "rubbish\n" });
  world.files.fault = (action) => {
    if (action === "replace") throw new Error("disk full");
  };
  await assert.rejects(world.store.load(KEY), { code: "session_file_failed" });
  world.files.fault = () => {};
  await world.store.load(KEY);
  assert.equal(world.files.texts.get(`${FILE}.corrupt`), "rubbish\n");
  assert.equal(world.files.texts.get(FILE), "");
});

Deno.test("SessionStore says which session cannot be read", async () => {
  await using world = new World();
  world.files.fault = () => {
    throw new Error("input/output error");
  };
  await assert.rejects(world.store.load(KEY), {
    code: "session_file_failed",
    message: `Cannot load session "${KEY}": input/output error`,
  });
});

Deno.test("SessionStore takes over a file under nanobot's name and leaves it", async () => {
  const key = "telegram:-1:topic:7";
  const old =
    `{"_type":"metadata","key":"${key}","last_consolidated":0}\n{"role":"user","content":"old"}\n`;
  await using world = new World({ "telegram_-1_topic_7.jsonl": old });
  assert.deepEqual(contentsOf(await world.store.load(key)), ["old"]);
  assert.equal(world.files.texts.get("telegram_-1%3Atopic%3A7.jsonl"), old);
  assert.equal(world.files.texts.get("telegram_-1_topic_7.jsonl"), old);
});

Deno.test("SessionStore takes over a file under the name that nanobot gives it since 0.3", async () => {
  const old = `{"role":"user","content":"old"}\n`;
  await using world = new World({ "Y2xpOmRpcmVjdA.jsonl": old });
  assert.deepEqual(contentsOf(await world.store.load("cli:direct")), ["old"]);
  assert.equal(world.files.texts.get("cli_direct.jsonl"), old);
});

Deno.test("SessionStore leaves a file under nanobot's name to the session it belongs to", async () => {
  const old = `{"_type":"metadata","key":"telegram:-1:topic_7","last_consolidated":0}\n`;
  await using world = new World({ "telegram_-1_topic_7.jsonl": old });
  await world.store.load("telegram:-1:topic:7");
  assert.equal(world.files.texts.size, 1);
});

Deno.test("SessionStore takes over a file that does not tell its key by its name", async () => {
  const line = `{"role":"user","content":"old"}\n`;
  await using world = new World({ "whatsapp_1@s.net.jsonl": line, "a_b_c.jsonl": line });
  assert.deepEqual(contentsOf(await world.store.load("whatsapp:1@s.net")), ["old"]);
  assert.deepEqual(contentsOf(await world.store.load("a:b:c")), []);
});

Deno.test("SessionStore clears a session, what waits in the journal included", async () => {
  await using world = new World();
  const conversation = await world.store.load(KEY);
  await world.store.file(conversation, await world.commit("t1", 0, "one"));
  await world.store.changeMetadata(conversation, () => ({ _last_summary: "old" }));
  await world.commit("t1", 1, "two");
  await world.clock.advance(1_000);
  await world.store.clear(conversation);
  assert.deepEqual(world.files.lines(FILE), [{
    _type: "metadata",
    key: KEY,
    created_at: "2026-01-01T00:00:01.000Z",
    updated_at: "2026-01-01T00:00:01.000Z",
    metadata: {},
    last_consolidated: 0,
  }]);
  assert.deepEqual(contentsOf(conversation), []);
  assert.deepEqual(conversation.metadata, {});
  assert.deepEqual(contentsOf(await world.restarted().load(KEY)), []);
});

Deno.test("SessionStore keeps the old messages when it cannot clear", async () => {
  await using world = new World({ [FILE]: `{"role":"user","content":"one"}\n` });
  const conversation = await world.store.load(KEY);
  world.files.fault = () => {
    throw new Error("disk full");
  };
  await world.store.file(conversation, await world.commit("t1", 0, "two"));
  await assert.rejects(world.store.clear(conversation), { code: "session_file_failed" });
  assert.deepEqual(contentsOf(conversation), ["one"]);
  world.files.fault = () => {};
  assert.deepEqual(contentsOf(await world.restarted().load(KEY)), ["one", "two"]);
});

Deno.test("SessionStore appends changed metadata, and the last one counts", async () => {
  await using world = new World();
  const conversation = await world.store.load(KEY);
  await world.store.file(conversation, await world.commit("t1", 0, "one"));
  await world.store.changeMetadata(conversation, () => ({ n: 1 }));
  await world.store.changeMetadata(conversation, () => ({ n: 2 }));
  assert.deepEqual(contentsIn(world.files), ["metadata", "one", "metadata", "metadata"]);
  assert.deepEqual((await world.restarted().load(KEY)).metadata, { n: 2 });
});

Deno.test("SessionStore keeps the old metadata when it cannot write the new", async () => {
  await using world = new World();
  const conversation = await world.store.load(KEY);
  world.files.fault = () => {
    throw new Error("disk full");
  };
  await assert.rejects(world.store.changeMetadata(conversation, () => ({ n: 1 })), {
    code: "session_file_failed",
  });
  assert.deepEqual(conversation.metadata, {});
});

async function worldOf(...contents: string[]) {
  const world = new World();
  const conversation = await world.store.load(KEY);
  const lines = await world.commit("t1", 0, ...contents);
  for (const line of lines) conversation.append(storedOf(line));
  await world.store.file(conversation, lines);
  return { world, conversation };
}

function storedOf({ text }: HistoryLine): StoredMessage {
  const stored = parseMessageLine(text);
  assert.ok(stored);
  return stored;
}

/** Changes the file as somebody with an editor does. */
function editByHand(files: MemorySessionFiles, change: (lines: string[]) => string[]): void {
  const lines = (files.texts.get(FILE) ?? "").split("\n").filter(Boolean);
  files.texts.set(FILE, change(lines).map((line) => `${line}\n`).join(""));
}

Deno.test("SessionStore lets go of what was summed up alone, after lines were removed by hand", async () => {
  const { world, conversation } = await worldOf("a", "b", "c", "d", "e");
  await using _ = world;
  await world.store.consolidate(conversation, 3, (metadata) => metadata);
  editByHand(world.files, (lines) => lines.filter((line) => !/"content":"[ab]"/.test(line)));
  await world.store.dropConsolidated(conversation);
  assert.deepEqual(contentsIn(world.files), ["metadata", "d", "e"]);
  assert.deepEqual(contentsOf(conversation), ["d", "e"]);
});

Deno.test.each(["process", "power"] as const)(
  "SessionStore has nothing come back that it let go of, where the %s dies behind it",
  async (what) => {
    const { world, conversation } = await worldOf("a", "b");
    await using _ = world;
    const late = await world.commit("t1", 2, "c", "d");
    for (const line of late) conversation.append(storedOf(line));
    world.files.fault = () => {
      throw new Error("disk full");
    };
    await world.store.file(conversation, late);
    world.files.fault = () => {};
    await world.store.consolidate(conversation, 3, (metadata) => metadata);
    await world.store.dropConsolidated(conversation);
    const { files, clock } = world;
    const rows = world.journal.crash(what);
    await using journal = new MemoryJournal({ clock, defer: nextTurn, rows });
    const again = await new SessionStore({ files, journal, clock }).load(KEY);
    assert.deepEqual(contentsOf(again), ["d"]);
  },
);

Deno.test("SessionStore marks what was summed up in the file as it is, after an edit by hand", async () => {
  const { world, conversation } = await worldOf("a", "b", "c", "d", "e");
  await using _ = world;
  editByHand(world.files, (lines) => lines.filter((line) => !/"content":"[ac]"/.test(line)));
  await world.store.consolidate(conversation, 3, (metadata) => metadata);
  const again = await world.restarted().load(KEY);
  assert.deepEqual(again.replayed().map(({ message }) => message.content), ["d", "e"]);
});

Deno.test("SessionStore keeps all that an emptied file still gets", async () => {
  const { world, conversation } = await worldOf("a", "b", "c");
  await using _ = world;
  await world.store.consolidate(conversation, 2, (metadata) => metadata);
  editByHand(world.files, () => []);
  await world.store.dropConsolidated(conversation);
  assert.deepEqual(contentsOf(conversation), ["c"]);
  assert.deepEqual(contentsIn(world.files), ["metadata"]);
});

Deno.test("SessionStore knows a file again that an editor put a byte order mark before", async () => {
  const { world, conversation } = await worldOf("a", "b", "c");
  await using _ = world;
  await world.store.consolidate(conversation, 2, (metadata) => metadata);
  editByHand(
    world.files,
    (lines) => lines.map((line, index) => index === 0 ? `\uFEFF${line}` : line),
  );
  const again = await world.restarted().load(KEY);
  assert.deepEqual(again.replayed().map(({ message }) => message.content), ["c"]);
  assert.equal(world.files.texts.has(`${FILE}.corrupt`), false);
});

Deno.test("A long conversation is read with breaths, so that others go on meanwhile", async () => {
  const texts = Array.from({ length: 5_000 }, (_, line) => historyLine("t1", line, "hi").text);
  await using world = new World({ [FILE]: `${texts.join("\n")}\n` });
  let breaths = 0;
  const breathe = () => {
    breaths++;
    return Promise.resolve();
  };
  const { files, journal, clock } = world;
  const { messages } = await new SessionStore({ files, journal, clock, breathe }).load(KEY);
  assert.equal(messages.length, 5_000);
  assert.ok(breaths >= 10, `${breaths} breaths`);
});
