import assert from "node:assert/strict";
import { readContent } from "../../../../channels/feishu/receive/content.ts";

function post(content: unknown): string {
  return readContent("post", JSON.stringify(content), [
    { key: "@_user_1", name: "Alice", id: null },
  ]);
}

const TEXT = { tag: "text", text: "完成" };

Deno.test.each([
  {
    shape: "by language below post",
    content: { post: { zh_cn: { title: "日报", content: [[TEXT]] } } },
  },
  { shape: "by language", content: { zh_cn: { title: "日报", content: [[TEXT]] } } },
  { shape: "in another language", content: { fr_fr: { title: "日报", content: [[TEXT]] } } },
  { shape: "below post", content: { post: { title: "日报", content: [[TEXT]] } } },
  { shape: "direct", content: { title: "日报", content: [[TEXT], null] } },
])("readContent reads a post that comes $shape", ({ content }) => {
  assert.equal(post(content), "日报\n完成");
});

Deno.test("readContent keeps a post's lines, links, code and mentions", () => {
  const content = [
    [{ tag: "text", text: "see " }, { tag: "a", text: "this", href: "https://example.com" }],
    [],
    [{ tag: "at", user_id: "@_user_1", user_name: "" }, { tag: "text", text: " done" }],
    [{ tag: "at", user_id: "@_user_2", user_name: "Bo" }, { tag: "at", user_id: "@_user_3" }],
    [{ tag: "at", user_id: "all" }],
    [{ tag: "code_block", language: "PYTHON", text: "print(1)\n" }],
    [{ tag: "img", image_key: "img_1" }, { tag: "emotion", emoji_type: "SMILE" }],
    [{ tag: "hr" }],
    [{ tag: "md", text: "**bold**" }],
    [{ tag: "unheard_of", text: "x" }],
  ];
  assert.equal(
    post({ content }),
    "see [this](https://example.com)\n\n@_user_1 done\n@Bo@user\n@_all\n```python\nprint(1)\n```\n" +
      "[image][SMILE]\n---\n**bold**",
  );
});

Deno.test.each([null, 5, "text", [], { content: "no list" }, { zh_cn: null }])(
  "readContent gives nothing for the broken post %j",
  (content) => assert.equal(post(content), ""),
);

Deno.test.each([
  { type: "text", content: '{"text":"hi"}', to: "hi" },
  { type: "text", content: "no json", to: "" },
  { type: "text", content: '{"text":5}', to: "" },
  { type: "image", content: '{"image_key":"img_1"}', to: "[image]" },
  { type: "file", content: '{"file_name":"a.pdf"}', to: "[file: a.pdf]" },
  { type: "file", content: "{}", to: "[file]" },
  { type: "sticker", content: "{}", to: "[sticker]" },
  { type: "share_chat", content: '{"chat_id":"oc_1"}', to: "[shared chat: oc_1]" },
  { type: "location", content: '{"name":"Park"}', to: "[location: Park]" },
  { type: "system", content: "{}", to: "[system message]" },
  { type: "hologram", content: "{}", to: "[hologram]" },
  { type: "", content: "", to: "[message]" },
])("readContent reads $type $content as $to", ({ type, content, to }) => {
  assert.equal(readContent(type, content, []), to);
});
