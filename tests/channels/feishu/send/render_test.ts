import assert from "node:assert/strict";
import { formatActivity } from "../../../../channels/feishu/send/activity.ts";
import {
  cardMarkdown,
  renderPart,
  renderParts,
  simplerParts,
  summaryOf,
} from "../../../../channels/feishu/send/render.ts";
import { stableUuid } from "../../../../channels/feishu/send/uuid.ts";

Deno.test("renderParts gives each part a uuid that is the same in every run", () => {
  const text = "# T\n\n" + "paragraph of words\n\n".repeat(4_000);
  const parts = renderParts("turn-1:0", text, false);
  const uuids = parts.map(({ uuid }) => uuid);
  assert.ok(parts.length > 1);
  assert.equal(new Set(uuids).size, uuids.length);
  assert.deepEqual(renderParts("turn-1:0", text, false).map(({ uuid }) => uuid), uuids);
  assert.notEqual(renderParts("turn-2:0", text, false)[0]?.uuid, uuids[0]);
});

Deno.test("stableUuid never changes its ways", () => {
  const uuid = stableUuid("turn-1:0", 0, "text");
  assert.equal(uuid, "be8c1c0d48db04fd093025f72b14c89c0b800f04");
  assert.ok(uuid.length <= 50);
});

Deno.test("renderParts keeps cards below the platform's 30 KB", () => {
  const text = "# T\n\n" + '"quoted \\ words" 中文\n'.repeat(5_000);
  for (const part of renderParts("k", text, false)) {
    assert.ok(new TextEncoder().encode(renderPart(part).content).length <= 30_000);
  }
});

Deno.test("simplerParts goes from card to post to text and then gives up", () => {
  const [card] = renderParts("k", "# Title", false);
  assert.ok(card);
  const [post] = simplerParts(card);
  assert.equal(post?.form, "post");
  const [text] = post === undefined ? [] : simplerParts(post);
  assert.equal(text?.form, "text");
  assert.deepEqual(text === undefined ? null : simplerParts(text), []);
});

Deno.test("renderPart writes a post's lines with their links", () => {
  const part = {
    form: "post",
    body: "see [a](https://a.io), ok\n\nend",
    name: "",
    uuid: "u",
  } as const;
  assert.deepEqual(JSON.parse(renderPart(part).content), {
    zh_cn: {
      content: [
        [
          { tag: "text", text: "see " },
          { tag: "a", text: "a", href: "https://a.io" },
          { tag: "text", text: ", ok" },
        ],
        [{ tag: "text", text: "" }],
        [{ tag: "text", text: "end" }],
      ],
    },
  });
});

Deno.test.each([
  { text: "![cat](https://a.io/c.png)", to: "[cat](https://a.io/c.png)" },
  { text: "![](https://a.io/c.png)", to: "[image](https://a.io/c.png)" },
  { text: "![cat](img_v3_1)", to: "![cat](img_v3_1)" },
  { text: "```\n![cat](https://a.io/c.png)\n```", to: "```\n![cat](https://a.io/c.png)\n```" },
])("cardMarkdown turns $text into $to", ({ text, to }) => {
  assert.equal(cardMarkdown(text), to);
});

Deno.test.each([
  { text: "\n## The **plan**\nmore", to: "The plan" },
  { text: "", to: "" },
  { text: "x".repeat(200), to: `${"x".repeat(79)}…` },
])("summaryOf gives $to", ({ text, to }) => {
  assert.equal(summaryOf(text), to);
});

Deno.test.each([
  { activity: "", to: "" },
  { activity: "  ", to: "" },
  {
    activity: 'web_search("query"), read_file("/a")',
    to: '🔧 web_search("query")\n🔧 read_file("/a")',
  },
  { activity: 'grep "hello, world", $ echo test', to: '🔧 grep "hello, world"\n🔧 $ echo test' },
  { activity: "it's one, it's two", to: "🔧 it's one\n🔧 it's two" },
  { activity: "one\ntwo", to: "🔧 one\n🔧 two" },
])("formatActivity shows $activity as $to", ({ activity, to }) => {
  assert.equal(formatActivity(activity, "🔧"), to);
});
