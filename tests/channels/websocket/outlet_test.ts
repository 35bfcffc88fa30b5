import assert from "node:assert/strict";
import { Chat } from "../../../channels/websocket/chats/chat.ts";
import type { EntryContents } from "../../../channels/websocket/chats/entry.ts";
import { Follow } from "../../../channels/websocket/chats/follow.ts";
import { Outlet, WAITING_BYTES_MAX } from "../../../channels/websocket/clients/outlet.ts";

/** A socket whose client takes something only when it is told to. */
class StuckSocket {
  readonly sent: string[] = [];
  waitingBytes = 0;
  waitingBytesMax = 0;
  #waiting: (() => void)[] = [];

  send(text: string, left: () => void): void {
    this.sent.push(text);
    this.waitingBytes += text.length;
    this.waitingBytesMax = Math.max(this.waitingBytesMax, this.waitingBytes);
    this.#waiting.push(() => {
      this.waitingBytes -= text.length;
      left();
    });
  }

  take(): void {
    while (this.#waiting.length > 0) this.#waiting.shift()?.();
  }

  close(): void {}
  terminate(): void {}
  ping(): void {}
  pause(): void {}
  resume(): void {}
}

function whole(key: string, text: string): EntryContents {
  const none = { media: [], choices: [], settles: [] };
  return { kind: "message", key, messageId: key, text, isPlain: false, replyTo: null, ...none };
}

Deno.test("What waits for a client that takes nothing is bounded, and the end reaches it", () => {
  const socket = new StuckSocket();
  const chat = new Chat("c", { owner: null, entries: [] });
  const follows = new Map<string, Follow>();
  const outlet = new Outlet(socket, follows, () => {});
  const onNews = () => outlet.pump();
  const fileOut = () => ({ name: "", type: "", bytes: 0, url: "" });
  using follow = new Follow({ chat, since: undefined, fileOut, onNews });
  follows.set("c", follow);
  const piece = "z".repeat(1_000);
  let text = "";
  for (let index = 0; index < 600; index++) {
    text += piece;
    chat.grow("k", { text, activity: "", reasoning: "" });
  }
  assert.ok(socket.waitingBytesMax < WAITING_BYTES_MAX + 2_000, `${socket.waitingBytesMax}`);
  assert.ok(socket.sent.length < 300);
  chat.add(whole("k", text));
  for (let index = 0; index < 500; index++) chat.add(whole(`n${index}`, "note"));
  assert.ok(socket.waitingBytesMax < WAITING_BYTES_MAX + 2_000);
  socket.take();
  const frames = socket.sent.map((sent) => JSON.parse(sent));
  assert.equal(frames.filter(({ event }) => event === "gap").length, 1);
  assert.equal(frames.at(-1).message_id, "n499");
});

Deno.test("What a slow client missed of an answer comes as one piece", () => {
  const socket = new StuckSocket();
  const chat = new Chat("c", { owner: null, entries: [] });
  const follows = new Map<string, Follow>();
  const outlet = new Outlet(socket, follows, () => {});
  const onNews = () => outlet.pump();
  const fileOut = () => ({ name: "", type: "", bytes: 0, url: "" });
  using follow = new Follow({ chat, since: undefined, fileOut, onNews });
  follows.set("c", follow);
  const first = "a".repeat(WAITING_BYTES_MAX);
  for (const more of ["", "b", "bc", "bcd"]) {
    chat.grow("k", { text: first + more, activity: "", reasoning: "" });
  }
  socket.take();
  const pieces = socket.sent.map((sent) => JSON.parse(sent).text);
  assert.deepEqual(pieces, [first, "bcd"]);
});
