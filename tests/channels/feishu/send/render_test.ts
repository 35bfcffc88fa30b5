import assert from "node:assert/strict";
import fc from "fast-check";
import { activityLines } from "../../../../channels/activity.ts";
import { opusDurationMs } from "../../../../channels/feishu/send/duration.ts";
import { mp4Cover, mp4DurationMs } from "../../../../channels/feishu/send/mp4.ts";
import { box, movieWith } from "./movie.ts";
import { renderParts, simplerParts } from "../../../../channels/feishu/send/parts.ts";
import { stableUuid } from "../../../../channels/feishu/send/uuid.ts";
import { summaryOf } from "../../../../channels/feishu/render/card_json.ts";

const MARKDOWN = { isPlain: false, images: new Map<string, string>() };

Deno.test("renderParts gives each part a uuid that is the same in every run", () => {
  const text = "# T\n\n" + "paragraph of words\n\n".repeat(4_000);
  const parts = renderParts("turn-1:0", text, MARKDOWN);
  const uuids = parts.map(({ uuid }) => uuid);
  assert.ok(parts.length > 1);
  assert.equal(new Set(uuids).size, uuids.length);
  assert.deepEqual(renderParts("turn-1:0", text, MARKDOWN).map(({ uuid }) => uuid), uuids);
  assert.notEqual(renderParts("turn-2:0", text, MARKDOWN)[0]?.uuid, uuids[0]);
});

Deno.test("stableUuid never changes its ways", () => {
  const uuid = stableUuid("turn-1:0", 0, "text");
  assert.equal(uuid, "be8c1c0d48db04fd093025f72b14c89c0b800f04");
  assert.ok(uuid.length <= 50);
});

Deno.test("renderParts keeps cards below the platform's 30 KB", () => {
  const text = "# T\n\n" + '"quoted \\ words" 中文\n'.repeat(5_000);
  for (const { body } of renderParts("k", text, MARKDOWN)) {
    assert.ok(new TextEncoder().encode(body).length <= 30_000);
  }
});

Deno.test("renderParts shows what looks like a tag in a form that knows no tags", () => {
  const [part] = renderParts("k", 'say <at user_id="all"></at>', { ...MARKDOWN, isPlain: true });
  assert.equal(part?.form, "post");
});

Deno.test("simplerParts goes from card to post to text and then gives up", () => {
  const [card] = renderParts("k", "# Title of 5*3*2", MARKDOWN);
  assert.ok(card);
  const [post] = simplerParts(card);
  assert.equal(post?.form, "post");
  const [text] = post === undefined ? [] : simplerParts(post);
  assert.equal(text?.form, "text");
  assert.equal(text?.body, JSON.stringify({ text: "# Title of 5*3*2" }));
  assert.deepEqual(text === undefined ? null : simplerParts(text), []);
});

Deno.test.each([
  { text: "\n## The **plan**\nmore", to: "The plan" },
  { text: "```ts\nlet a;\n```", to: "let a;" },
  { text: "[a](http://b.c) &#42;", to: "a *" },
  { text: "", to: "" },
  { text: "x".repeat(200), to: `${"x".repeat(79)}…` },
])("summaryOf gives $to", ({ text, to }) => {
  assert.equal(summaryOf(text), to.replaceAll("*", "").trim());
});

Deno.test.each([
  { activity: "", to: [] },
  { activity: "  ", to: [] },
  {
    activity: 'web_search("query"), read_file("/a")',
    to: ['🔧 web_search("query")', '🔧 read_file("/a")'],
  },
  {
    activity: 'grep "hello, world", $ echo test',
    to: ['🔧 grep "hello, world"', "🔧 $ echo test"],
  },
  { activity: "it's one, it's two", to: ["🔧 it's one", "🔧 it's two"] },
  { activity: "one\ntwo", to: ["🔧 one", "🔧 two"] },
])("activityLines shows $activity as lines", ({ activity, to }) => {
  assert.deepEqual(activityLines(activity, "🔧"), to);
});

Deno.test("opusDurationMs reads the position of the last page", () => {
  const page = (granule: bigint): Uint8Array => {
    const bytes = new Uint8Array(40);
    bytes.set(new TextEncoder().encode("OggS"));
    new DataView(bytes.buffer).setBigInt64(6, granule, true);
    return bytes;
  };
  const bytes = new Uint8Array([...page(0n), ...page(96_000n), ...page(-1n)]);
  assert.equal(opusDurationMs(bytes), 2_000);
  assert.equal(opusDurationMs(new Uint8Array(100)), undefined);
});

Deno.test("mp4DurationMs reads the movie's head behind other boxes", () => {
  const head = new Uint8Array(100);
  new DataView(head.buffer).setUint32(12, 600);
  new DataView(head.buffer).setUint32(16, 900);
  const movie = box("moov", box("mvhd", head));
  assert.equal(mp4DurationMs(new Uint8Array([...box("ftyp", new Uint8Array(8)), ...movie])), 1_500);
  assert.equal(mp4DurationMs(new TextEncoder().encode("no video at all")), undefined);
});

Deno.test("mp4Cover reads the cover of a movie, and nothing that is none", () => {
  const picture = new TextEncoder().encode("a picture");
  assert.deepEqual(mp4Cover(movieWith({ cover: picture, kind: 14 })), {
    fileName: "cover.png",
    bytes: picture,
  });
  assert.equal(mp4Cover(movieWith({ cover: picture, kind: 13 }))?.fileName, "cover.jpg");
  assert.equal(mp4Cover(movieWith({ cover: picture, kind: 21 })), undefined);
  assert.equal(mp4Cover(movieWith({ cover: new Uint8Array(), kind: 13 })), undefined);
  assert.equal(mp4Cover(movieWith({})), undefined);
});

Deno.test("mp4Cover and mp4DurationMs bear whatever a file holds", () => {
  const whole = movieWith({ cover: new Uint8Array(40), kind: 14 });
  fc.assert(
    fc.property(fc.nat({ max: whole.length }), fc.uint8Array({ maxLength: 40 }), (at, noise) => {
      const bytes = new Uint8Array([...whole.subarray(0, at), ...noise, ...whole.subarray(at)]);
      mp4Cover(bytes);
      mp4DurationMs(bytes);
      mp4Cover(bytes.subarray(0, at));
    }),
    { numRuns: 500 },
  );
});
