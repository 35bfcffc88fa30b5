import assert from "node:assert/strict";
import { stripVTControlCharacters } from "node:util";
import fc from "fast-check";
import { MarkdownLines } from "../../../channels/cli/markdown/line_renderer.ts";
import { messagesOf } from "../../../channels/dingtalk/render/messages.ts";
import { layOut as layOutDiscord } from "../../../channels/discord/render/messages.ts";
import { htmlPage } from "../../../channels/email/render/html.ts";
import { summaryOf } from "../../../channels/feishu/render/card_json.ts";
import { layOutCards } from "../../../channels/feishu/render/cards.ts";
import { layOutPosts } from "../../../channels/feishu/render/post.ts";
import { chooseForm } from "../../../channels/feishu/send/format.ts";
import { parseMarkdown } from "../../../channels/markdown/markdown.ts";
import { mendTail } from "../../../channels/markdown/tail.ts";
import { textParts } from "../../../channels/qq/render/parts.ts";
import { growingParts, partsOf } from "../../../channels/slack/send/render.ts";
import { piecesOf as piecesOfTelegram } from "../../../channels/telegram/render/pieces.ts";
import { piecesOf as piecesOfWhatsapp } from "../../../channels/whatsapp/render/pieces.ts";
import {
  bestMsOf,
  HOSTILE_SHAPES,
  HOSTILE_TIME_MAX_MS,
  hostileTexts,
} from "../../support/hostile_markdown.ts";
import { visibleText } from "../feishu/render/visible.ts";

/** All that a channel does to lay an answer out. */
const LAYOUTS: Readonly<Record<string, (text: string) => void>> = {
  feishu(text) {
    chooseForm(text);
    layOutCards(mendTail(text));
    layOutPosts(text, false);
    summaryOf(text);
  },
  discord: (text) => void layOutDiscord(text, { isPlain: false }),
  "discord, as it is": (text) => void layOutDiscord(text, { isPlain: true }),
  telegram: (text) => void piecesOfTelegram(text, { isPlain: false }),
  slack: (text) => void [partsOf(text, false), growingParts(text, ["Reads"])],
  whatsapp: (text) => void piecesOfWhatsapp(text, { isPlain: false }),
  dingtalk: (text) => void messagesOf(text, false),
  "qq, as Markdown": (text) => void textParts(text, { isPlain: false, isMarkdown: true }),
  qq: (text) => void textParts(text, { isPlain: false, isMarkdown: false }),
  email: (text) => void htmlPage(text),
  cli(text) {
    const lines = new MarkdownLines(() => 80);
    for (const line of text.split("\n")) lines.line(line);
    lines.end();
  },
};

function assertQuick(channel: string, text: string): void {
  const layOut = LAYOUTS[channel];
  assert.ok(layOut !== undefined);
  const timeMs = bestMsOf(() => layOut(text));
  assert.ok(timeMs < HOSTILE_TIME_MAX_MS, `${channel}: ${Math.round(timeMs)} ms`);
}

Deno.test("An answer blocks its channel for no long time, whatever is written over and over", () => {
  fc.assert(
    fc.property(hostileTexts, (text) => {
      for (const channel of Object.keys(LAYOUTS)) assertQuick(channel, text);
    }),
    { numRuns: 25 },
  );
});

Deno.test.each(HOSTILE_SHAPES)(
  "An answer blocks its channel for no long time: $shape",
  ({ text }) => {
    for (const channel of Object.keys(LAYOUTS)) assertQuick(channel, text);
  },
);

Deno.test("Quotes deeper than anybody reads lose no word", () => {
  const words = Array.from({ length: 40 }, (_, depth) => `w${depth}`);
  const text = words.map((word, depth) => `${"> ".repeat(depth)}${word}`).join("\n");
  const shown = visibleText(`${text}\nlazy one\nlazy two`);
  for (const word of [...words, "lazyone", "lazytwo"]) assert.ok(shown.includes(word), word);
});

Deno.test("A long quote is several, and loses no line", () => {
  const lines = Array.from({ length: 400 }, (_, line) => `> line ${line}`);
  const tokens = parseMarkdown(`${lines.join("\n")}\n\nAnd on.`);
  assert.deepEqual([...new Set(tokens.map(({ type }) => type))], ["blockquote", "paragraph"]);
  const words = Array.from({ length: 400 }, (_, line) => `line${line}`).join("");
  assert.equal(visibleText(lines.join("\n")), words);
});

Deno.test("A line of the terminal shows a quote in a quote, and a sign behind the twelfth as it is", () => {
  const lines = new MarkdownLines(() => 80);
  const plain = (source: string): string => stripVTControlCharacters(lines.line(source));
  assert.equal(plain("> > - deep"), "│ │ • deep\n");
  assert.equal(plain(`${"> ".repeat(13)}x`), `${"│ ".repeat(12)}> x\n`);
});
