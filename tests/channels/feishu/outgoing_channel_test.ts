import assert from "node:assert/strict";
import fc from "fast-check";
import type { Call } from "../../simulators/feishu/rest_server.ts";
import { isNode } from "../../simulators/feishu/card_json.ts";
import { Harness, LogRecorder } from "./harness.ts";
import { document, wordsIn } from "./render/documents.ts";
import { movieWith } from "./send/movie.ts";

const KEY = "turn-1:0";
const CARD_ROUTES = [
  "cardkit.card.create",
  "cardkit.card.update",
  "cardkit.cardElement.content",
] as const;
const PNG_BYTES = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);

/** All that stands in the bot's messages, as JSON. */
function shownIn(harness: Harness, chatId: string): string {
  const shown = harness.platform.chat(chatId).fromBot
    .map(({ card, content }) => isNode(card?.json) ? JSON.stringify(card.json["body"]) : content);
  return shown.join("\n");
}

/** Calls by the card they change. */
function updatesByCard(calls: readonly Call[]): ReadonlyMap<string, readonly Call[]> {
  return Map.groupBy(
    calls.filter(({ params }) => params["card_id"] !== undefined),
    ({ params }) => params["card_id"] ?? "",
  );
}

Deno.test("Feishu ends with every word once, however an answer is cut into deltas", async () => {
  await using harness = await Harness.ready();
  let run = 0;
  const shares = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(document, shares, async (text, cuts) => {
      const key = `turn-${++run}:0`;
      const chatId = `ou_person${run}`;
      harness.platform.addPerson(chatId, { name: chatId });
      for (const share of cuts.toSorted((a, b) => a - b)) {
        const sofar = text.slice(0, Math.floor(text.length * share));
        await harness.deliverInTime({ key, chatId, phase: "growing", text: sofar });
      }
      await harness.deliverInTime({ key, chatId, text });
      assert.deepEqual(wordsIn(shownIn(harness, chatId)), wordsIn(text));
      const cards = harness.platform.chat(chatId).fromBot.flatMap(({ card }) => card ?? []);
      assert.ok(cards.every(({ isStreaming }) => !isStreaming));
    }),
    { numRuns: 25, endOnFailure: true },
  );
});

Deno.test("Feishu streams to 50 chats at once within the rates, and each ends right", async () => {
  await using harness = await Harness.ready();
  const { platform, clock } = harness;
  const chats = Array.from({ length: 50 }, (_, index) => `ou_person${index}`);
  for (const chatId of chats) platform.addPerson(chatId, { name: chatId });
  const textOf = (chatId: string, words: number): string =>
    Array.from({ length: words }, (_, index) => `${chatId} says word ${index}.`).join("\n\n");
  const stream = async (chatId: string): Promise<void> => {
    const key = `turn-${chatId}:0`;
    for (let words = 1; words <= 6; words++) {
      await harness.deliver({ key, chatId, phase: "growing", text: textOf(chatId, words) });
    }
    await harness.deliver({ key, chatId, text: textOf(chatId, 8) });
  };
  let open = chats.length;
  const streams = Promise.all(chats.map((chatId) => stream(chatId).finally(() => open--)));
  while (open > 0) await clock.advance(20);
  await streams;
  for (const chatId of chats) {
    const shown = platform.chat(chatId).fromBot;
    assert.deepEqual(shown.map(({ text }) => text), [textOf(chatId, 8)]);
    assert.equal(shown[0]?.card?.isStreaming, false);
  }
  const updates = platform.calls(...CARD_ROUTES);
  for (const calls of updatesByCard(updates).values()) {
    for (const [index, { atMs }] of calls.slice(1).entries()) {
      assert.ok(atMs - (calls[index]?.atMs ?? 0) >= 500);
    }
  }
  const refused = platform.calls().filter(({ code }) => code !== 0 && code !== undefined);
  assert.deepEqual(refused.map(({ route, code }) => [route, code]), []);
});

Deno.test("Feishu shows the newest text half a second after the one before", async () => {
  await using harness = await Harness.ready();
  const { platform, clock } = harness;
  await harness.deliverInTime({ key: KEY, phase: "growing", text: "One" });
  const startMs = clock.now();
  await harness.deliver({ key: KEY, phase: "final", text: "One two" });
  assert.equal(platform.chat("ou_alice").fromBot[0]?.text, "One two");
  assert.equal(clock.now(), startMs);
});

Deno.test("Feishu renews the streaming of a long turn before the platform ends it", async () => {
  await using harness = await Harness.ready();
  const { platform, clock } = harness;
  for (let minute = 0; minute < 25; minute++) {
    await harness.deliverInTime({ key: KEY, phase: "growing", text: `Minute ${minute}` });
    assert.equal(platform.chat("ou_alice").fromBot[0]?.card?.isStreaming, true);
    await clock.advance(60_000);
  }
  const codes = platform.calls("cardkit.cardElement.content").map(({ code }) => code);
  assert.ok(codes.every((code) => code === 0), `${codes}`);
});

Deno.test("Feishu shows a table as a table when the answer is whole", async () => {
  await using harness = await Harness.ready();
  const { platform } = harness;
  const text = "Rows:\n\n| a | b |\n|---|---|\n| 1 | 2 |";
  await harness.deliverInTime({ key: KEY, phase: "growing", text });
  await harness.deliverInTime({ key: KEY, text: `${text}\n\nThat is all.` });
  const [shown] = platform.chat("ou_alice").fromBot;
  assert.equal(shown?.text, "Rows:\na | b\n1 | 2\nThat is all.");
  assert.equal(shown?.card?.isStreaming, false);
  assert.equal(shown?.card?.summary, "Rows:");
});

Deno.test("Feishu shows a table as Markdown when the platform refuses the component", async () => {
  await using harness = await Harness.ready();
  const { platform } = harness;
  const text = "Rows:\n\n| a | b |\n| --- | --- |\n| 1 | 2 |";
  await harness.deliverInTime({ key: KEY, phase: "growing", text: "Rows" });
  const refused = { kind: "code", code: 230099, message: "ErrCode: 200621" } as const;
  platform.faults.plant("cardkit.card.update", refused, { times: 1 });
  await harness.deliverInTime({ key: KEY, text });
  const shown = platform.chat("ou_alice").fromBot;
  assert.deepEqual(shown.map((message) => message.text), [text]);
});

Deno.test("Feishu shows a picture of the workspace in the text", async () => {
  const folder = await Deno.makeTempDir();
  try {
    await using harness = await Harness.ready();
    const { platform } = harness;
    const path = `${folder}/chart.png`;
    await Deno.writeFile(path, PNG_BYTES);
    const text = `See ![the chart](${path}) and ![none](${folder}/none.png).`;
    await harness.deliverInTime({ key: KEY, text, media: [path] });
    const shown = platform.chat("ou_alice").fromBot;
    assert.equal(shown.length, 1);
    assert.match(
      shown[0]?.text ?? "",
      /^See !\[the chart\]\(img_v3_\w+\) and none \(.*none\.png\)/,
    );
    assert.match(shown[0]?.text ?? "", /\(Could not send none\.png: there is no such file\)$/);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("Feishu tells how long a voice note is", async () => {
  const folder = await Deno.makeTempDir();
  try {
    await using harness = await Harness.ready();
    const bytes = new Uint8Array(64);
    bytes.set(new TextEncoder().encode("OggS"));
    bytes.set(new TextEncoder().encode("OpusHead"), 28);
    new DataView(bytes.buffer).setBigInt64(6, 144_000n, true);
    await Deno.writeFile(`${folder}/note.ogg`, bytes);
    await harness.deliverInTime({ key: KEY, media: [`${folder}/note.ogg`] });
    const [upload] = harness.platform.calls("im.file.create");
    assert.ok(isNode(upload?.body));
    assert.deepEqual([upload.body["file_type"], upload.body["duration"]], ["opus", "3000"]);
    assert.equal(harness.platform.chat("ou_alice").fromBot[0]?.msgType, "audio");
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

/** A video, the pictures beside it, and whether one of them is its cover. */
interface VideoCase {
  readonly title: string;
  readonly movie?: Parameters<typeof movieWith>[0];
  readonly beside?: Readonly<Record<string, Uint8Array>>;
  readonly hasCover: boolean;
}

const VIDEOS: readonly VideoCase[] = [
  { title: "the cover in it", movie: { cover: PNG_BYTES }, hasCover: true },
  { title: "the picture beside it as cover", beside: { "clip.png": PNG_BYTES }, hasCover: true },
  { title: "no cover where there is none", beside: { "other.png": PNG_BYTES }, hasCover: false },
  {
    title: "no cover where the platform does not take it",
    beside: { "clip.jpg": new TextEncoder().encode("no picture") },
    hasCover: false,
  },
];

Deno.test.each(VIDEOS)(
  "Feishu sends a video with its length and $title",
  async ({ movie = {}, beside = {}, hasCover }) => {
    const folder = await Deno.makeTempDir();
    try {
      await using harness = await Harness.ready();
      const { platform } = harness;
      await Deno.writeFile(`${folder}/clip.mp4`, movieWith(movie));
      for (const [name, bytes] of Object.entries(beside)) {
        await Deno.writeFile(`${folder}/${name}`, bytes);
      }
      await harness.deliverInTime({ key: KEY, media: [`${folder}/clip.mp4`] });
      const [upload] = platform.calls("im.file.create");
      assert.ok(isNode(upload?.body));
      assert.deepEqual([upload.body["file_type"], upload.body["duration"]], ["mp4", "1500"]);
      const [shown] = platform.chat("ou_alice").fromBot;
      assert.equal(shown?.msgType, "media");
      const { image_key: key } = JSON.parse(shown.content);
      assert.deepEqual(platform.file(key ?? "")?.bytes, hasCover ? PNG_BYTES : undefined);
      assert.equal(platform.chat("ou_alice").fromBot.length, 1);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
);

Deno.test("Feishu calls people, and nobody else", async () => {
  await using harness = await Harness.ready();
  const { platform } = harness;
  const text = "**Ask** @Alice (ou_alice) and <at id=all></at>";
  await harness.deliver({ key: KEY, text });
  assert.equal(
    platform.chat("ou_alice").fromBot[0]?.text,
    "**Ask** <at id=ou_alice></at> and &#60;at id=all&#62;&#60;/at&#62;",
  );
});

Deno.test("Feishu waits with all messages when the platform limits the app", async () => {
  await using recorder = await LogRecorder.start();
  await using harness = await Harness.ready();
  const { platform, clock } = harness;
  platform.faults.plant("im.message.create", {
    kind: "code",
    code: 99991400,
    status: 429,
    headers: { "x-ogw-ratelimit-reset": "7" },
  });
  await assert.rejects(harness.deliver({ key: KEY, text: "One" }), { retryAfterMs: 7_000 });
  const startMs = clock.now();
  await harness.deliverInTime({ key: "turn-2:0", text: "Two" });
  assert.ok(clock.now() - startMs >= 7_000);
  assert.deepEqual(recorder.warnings("Two"), []);
});
