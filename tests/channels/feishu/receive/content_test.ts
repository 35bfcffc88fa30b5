import assert from "node:assert/strict";
import * as fc from "fast-check";
import { readContent } from "../../../../channels/feishu/receive/content.ts";
import { type Part, plainText } from "../../../../channels/feishu/receive/parts.ts";

const ALICE = { key: "@_user_1", name: "Alice", id: null };

function post(content: unknown): string {
  return plainText(readContent("post", JSON.stringify(content), [ALICE]));
}

function read(type: string, content: unknown): string {
  return plainText(readContent(type, JSON.stringify(content), []));
}

function resources(parts: readonly Part[]): string[] {
  return parts.flatMap((part) =>
    part.type === "resource"
      ? [[part.resource.kind, part.resource.key, part.resource.name].join(" ")]
      : []
  );
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
      "[image][SMILE]\n---\n**bold**\nx",
  );
});

Deno.test.each([null, 5, "text", [], { content: "no list" }, { zh_cn: null }])(
  "readContent gives nothing for the broken post %j",
  (content) => assert.equal(post(content), ""),
);

Deno.test("readContent gives a post's pictures and videos in their places", () => {
  const content = {
    title: "Daily",
    content: [
      [
        { tag: "text", text: "report" },
        { tag: "img", image_key: "img_a" },
        { tag: "img", image_key: "img_b" },
      ],
      [{ tag: "media", file_key: "file_c", image_key: "img_c" }],
      [{ tag: "img" }],
    ],
  };
  const parts = readContent("post", JSON.stringify(content), []);
  assert.deepEqual(resources(parts), ["image img_a ", "image img_b ", "video file_c "]);
  assert.equal(plainText(parts), "Daily\nreport[image][image]\n[video]\n[image]");
});

Deno.test("readContent reads what is no list of lines, and lets no element spoil the others", () => {
  const flat = [{ tag: "text", text: "flat" }, "words", null, 7, [null, { tag: 5, text: "odd" }]];
  assert.equal(post({ title: 5, content: flat }), "flat\nwords\n\n\nodd");
});

Deno.test("readContent fences code so that back-ticks in it do not end it", () => {
  const code = "a ``` b";
  const content = [[{ tag: "code_block", language: "Go", text: code }]];
  assert.equal(post({ content }), "````go\na ``` b\n````");
});

Deno.test.each([
  { type: "text", content: { text: "hi" }, to: "hi" },
  { type: "text", content: { text: 5 }, to: "" },
  { type: "image", content: { image_key: "img_1" }, to: "[image]" },
  { type: "image", content: {}, to: "[image: download failed]" },
  { type: "file", content: { file_key: "f", file_name: "a.pdf" }, to: "[file: a.pdf]" },
  { type: "file", content: { file_name: "a.pdf" }, to: "[file: a.pdf missing file_key]" },
  { type: "file", content: {}, to: "[file: missing file_key]" },
  { type: "audio", content: { file_key: "f", duration: 2_000 }, to: "[audio]" },
  { type: "media", content: { file_key: "f", file_name: "c.mp4" }, to: "[video: c.mp4]" },
  { type: "folder", content: { file_key: "f", file_name: "Plans" }, to: "[folder: Plans]" },
  { type: "sticker", content: { file_key: "f" }, to: "[sticker]" },
  { type: "share_chat", content: { chat_id: "oc_1" }, to: "[shared chat: oc_1]" },
  { type: "share_user", content: { user_id: "ou_1" }, to: "[shared user: ou_1]" },
  {
    type: "share_calendar_event",
    content: { summary: "Meet", start_time: "1700000000000", end_time: "1700003600000" },
    to: "[shared calendar event: Meet, 2023-11-14 22:13 UTC to 2023-11-14 23:13 UTC]",
  },
  { type: "share_calendar_event", content: { event_key: "k" }, to: "[shared calendar event: k]" },
  { type: "calendar", content: { summary: "Meet" }, to: "[calendar event: Meet]" },
  { type: "general_calendar", content: {}, to: "[calendar event]" },
  {
    type: "location",
    content: { name: "Park", longitude: "116.3", latitude: "39.9" },
    to: "[location: Park, 39.9 116.3]",
  },
  {
    type: "video_chat",
    content: { topic: "Sync", start_time: 1_700_000_000_000 },
    to: "[video meeting: Sync, starts 2023-11-14 22:13 UTC]",
  },
  {
    type: "todo",
    content: {
      task_id: "t",
      summary: { title: "", content: [[{ tag: "text", text: "buy milk" }]] },
      due_time: "1700000000000",
    },
    to: "[task: buy milk, due 2023-11-14 22:13 UTC]",
  },
  { type: "vote", content: { topic: "Lunch", options: ["A", "B"] }, to: "[vote: Lunch (A; B)]" },
  { type: "hongbao", content: { text: "luck" }, to: "[red packet: luck]" },
  {
    type: "system",
    content: {
      template: "{from_user} invited {to_chatters} to {place}",
      from_user: ["Ann"],
      to_chatters: ["Bo", "Cy"],
    },
    to: "[system message: Ann invited Bo, Cy to {place}]",
  },
  { type: "system", content: {}, to: "[system message]" },
  { type: "merge_forward", content: {}, to: "[merged forward messages]" },
  { type: "interactive", content: {}, to: "[interactive]" },
  { type: "hologram", content: {}, to: "[hologram]" },
  { type: "", content: null, to: "[message]" },
])("readContent reads $type as $to", ({ type, content, to }) => {
  assert.equal(read(type, content), to);
});

Deno.test("readContent takes content that is no JSON as empty", () => {
  assert.equal(plainText(readContent("text", "no json", [])), "");
  assert.equal(plainText(readContent("location", "{", [])), "[location]");
});

const TYPES = [
  "text",
  "post",
  "interactive",
  "image",
  "audio",
  "media",
  "file",
  "folder",
  "sticker",
  "share_chat",
  "share_user",
  "calendar",
  "location",
  "todo",
  "vote",
  "video_chat",
  "hongbao",
  "system",
  "merge_forward",
  "hologram",
];

Deno.test("readContent never throws, whatever the content", () => {
  const keys = fc.constantFrom(
    ..."text title content elements body header card user_dsl tag href columns rows template options summary start_time post zh_cn"
      .split(" "),
  );
  const { json } = fc.letrec((tie) => ({
    json: fc.oneof(
      { maxDepth: 6 },
      fc.constant(null),
      fc.string(),
      fc.double(),
      fc.boolean(),
      fc.constantFrom("div", "markdown", "table", "button", "img", "a", "at", "select_static"),
      fc.array(tie("json"), { maxLength: 4 }),
      fc.dictionary(fc.oneof(keys, fc.string()), tie("json"), { maxKeys: 5 }),
    ),
  }));
  fc.assert(
    fc.property(fc.constantFrom(...TYPES), json, (type, content) => {
      const parts = readContent(type, JSON.stringify(content) ?? "", [ALICE]);
      assert.equal(typeof plainText(parts), "string");
    }),
    { numRuns: 2_000 },
  );
});

Deno.test("readContent survives content that is nested without end", () => {
  for (const type of ["post", "interactive", "todo"]) {
    for (const key of ["elements", "card", "post", "columns", "body"]) {
      const deep = `{"${key}":`.repeat(5_000) + "1" + "}".repeat(5_000);
      assert.equal(typeof plainText(readContent(type, deep, [])), "string");
    }
  }
});

Deno.test("readContent loses no text of a post", () => {
  const word = fc.stringMatching(/^[a-z0-9]{1,8}$/);
  const element = fc.oneof(
    word.map((text) => ({ tag: "text", text })),
    fc.tuple(word, fc.webUrl()).map(([text, href]) => ({ tag: "a", text, href })),
    word.map((text) => ({ tag: "code_block", language: "x", text })),
    word.map((text) => ({ tag: "md", text })),
    word.map((text) => ({ tag: "unheard_of", text })),
    word.map((text) => ({ tag: "at", user_id: "ou_x", user_name: text })),
  );
  const body = fc.record({ title: word, content: fc.array(fc.array(element), { minLength: 1 }) });
  fc.assert(fc.property(body, (content) => {
    const shown = post(content);
    let from = 0;
    for (const wanted of [{ text: content.title }, ...content.content.flat()]) {
      const text = "user_name" in wanted ? wanted.user_name : wanted.text;
      const at = shown.indexOf(text, from);
      assert.notEqual(at, -1, `${text} in ${shown}`);
      from = at + text.length;
    }
  }));
});
