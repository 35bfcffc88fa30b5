/**
 * What people see of an answer.
 * @module
 */

import assert from "node:assert/strict";
import { join } from "node:path";
import type { Contract } from "./contract.ts";
import type { ShownMessage } from "./harness.ts";

const KEY = "turn-1:0";
/** How a PNG begins. */
const PNG = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3);

/** Registers the tests. */
export function testOutbound(contract: Contract): void {
  testTexts(contract);
  testLayout(contract);
  testFiles(contract);
  testPlaces(contract);
}

function testTexts(contract: Contract): void {
  const { aliceChatId } = contract.channel;

  contract.test("shows a text, and gives the id of its message", async (running) => {
    const ids = await running.show({ key: KEY, text: "Hello, world!" });
    const shown = running.platform.shown(aliceChatId);
    assert.deepEqual(shown.map(({ text }) => text), ["Hello, world!"]);
    assert.deepEqual(shown.map(({ id }) => id), ids);
  });

  contract.test("shows nothing for a blank answer", async (running) => {
    assert.deepEqual(await running.show({ key: KEY, text: " \n" }), []);
    assert.deepEqual(running.platform.shown(aliceChatId), []);
  });

  contract.test("shows a long text whole, in order, and each part once", async (running) => {
    const words = Array.from({ length: 6_000 }, (_, index) => `word${index}`);
    const paragraphs = Array.from({ length: 60 }, (_, at) => words.slice(at * 100, at * 100 + 100));
    const text = paragraphs.map((paragraph) => paragraph.join(" ")).join("\n\n");
    const ids = await running.show({ key: KEY, text });
    const shown = running.platform.shown(aliceChatId);
    assert.deepEqual(wordsOf(shown), words);
    assert.deepEqual(shown.map(({ id }) => id), ids);
  });

  contract.test("shows one word without end whole, and breaks no character", async (running) => {
    const text = "𠮷👩‍👩‍👧‍👦".repeat(1_500);
    await running.show({ key: KEY, text });
    const shown = running.platform.shown(aliceChatId);
    assert.equal(shown.map((message) => message.text.replaceAll("\n", "")).join(""), text);
    for (const message of shown) assert.equal(message.text.isWellFormed(), true);
  });

  contract.test("shows plain text as it is", async (running) => {
    const text = "# no *title*, <b>no</b> `code` & [no](link) __init__ ~~x~~ | a |";
    await running.show({ key: KEY, text, isPlain: true });
    assert.deepEqual(running.platform.shown(aliceChatId).map((message) => message.text), [text]);
  });

  contract.test("shows signs in running text as they are", async (running) => {
    const text = "1 < 2 && 3 > 2, a_b_c, 5*3*2, C:\\dir, <script> & more stay";
    await running.show({ key: KEY, text });
    assert.deepEqual(running.platform.shown(aliceChatId).map((message) => message.text), [text]);
  });
}

function testLayout(contract: Contract): void {
  const { aliceChatId } = contract.channel;

  contract.test("shows code as code", async (running) => {
    const code = "if (a < b && c) {\n    return `x${y}`; // *not* __bold__\n}";
    await running.show({ key: KEY, text: `Look:\n\n\`\`\`ts\n${code}\n\`\`\`\n\nThat is it.` });
    const shown = running.platform.shown(aliceChatId);
    assert.deepEqual(shown.flatMap((message) => message.code), [code]);
    const text = shown.map((message) => message.text).join("\n");
    assert.match(text, /^Look:/);
    assert.match(text, /That is it\.$/);
  });

  contract.test("shows long code whole, as code in every part", async (running) => {
    const lines = Array.from(
      { length: 1_600 },
      (_, index) => `    step_${index} = <${index}> & ok`,
    );
    await running.show({
      key: KEY,
      text: `Before\n\n\`\`\`py\n${lines.join("\n")}\n\`\`\`\n\nAfter`,
    });
    const shown = running.platform.shown(aliceChatId);
    if (contract.channel.hasParts !== false) assert.ok(shown.length > 1);
    const code = shown.flatMap((message) => message.code).flatMap((block) => block.split("\n"));
    assert.deepEqual(code, lines);
    for (const message of shown) assert.doesNotMatch(message.text, /```/);
  });

  contract.test("shows every cell of a table, row by row", async (running) => {
    const rows = Array.from({ length: 5 }, (_, row) => [`name${row}`, `值${row}`, `note${row}`]);
    const head = "| Name | 值 | Note |\n|---|:-:|--:|\n";
    const text = head + rows.map((row) => `| ${row.join(" | ")} |`).join("\n");
    await running.show({ key: KEY, text: `A table:\n\n${text}` });
    const visible = running.platform.shown(aliceChatId).map((message) => message.text).join("\n");
    const places = ["Name", "Note", ...rows.flat()].map((cell) => visible.indexOf(cell));
    assert.ok(places.every((place) => place >= 0), visible);
    assert.deepEqual(places, places.toSorted((one, other) => one - other), visible);
    assert.doesNotMatch(visible, /-\|-|:-:/);
  });

  contract.test("shows emphasis, titles, quotes and lists without their marks", async (running) => {
    const text = "# Title\n\nSome **bold**, *slanted*, ~~old~~ and `code` words.\n\n" +
      "> quoted words\n\n- one\n- two\n  - deeper\n\n1. first\n2. second\n\n" +
      "[a link](https://example.com/a?b=1&c=%22)";
    await running.show({ key: KEY, text });
    const visible = running.platform.shown(aliceChatId).map((message) => message.text).join("\n");
    for (const words of ["Title", "Some bold, slanted, old and code words.", "quoted words"]) {
      assert.ok(visible.includes(words), visible);
    }
    for (const words of ["one", "two", "deeper", "first", "second", "a link"]) {
      assert.ok(visible.includes(words), visible);
    }
    assert.doesNotMatch(visible, /\*\*|~~|^#/m);
  });
}

function testFiles(contract: Contract): void {
  const { aliceChatId } = contract.channel;

  contract.test("shows files before the text", async (running) => {
    const { platform, folder } = running;
    const image = join(folder, "a picture.png");
    const report = join(folder, "report.csv");
    await Deno.writeFile(image, PNG);
    await Deno.writeTextFile(report, "a,b\n1,2\n");
    await running.show({ key: KEY, text: "Here they are", media: [image, report] });
    const shown = platform.shown(aliceChatId);
    const files = shown.flatMap((message) => message.files);
    assert.deepEqual(files.map(({ bytes }) => [...bytes]), [
      [...PNG],
      [...new TextEncoder().encode("a,b\n1,2\n")],
    ]);
    assert.equal(files[1]?.name, "report.csv");
    assert.match(shown.at(-1)?.text ?? "", /Here they are$/);
  });

  contract.test("says which files it could not send, and shows the rest", async (running) => {
    const { platform, folder } = running;
    const good = join(folder, "good.txt");
    await Deno.writeTextFile(good, "good");
    const media = [join(folder, "missing.pdf"), good];
    await running.show({ key: KEY, text: "Two files", media });
    const shown = platform.shown(aliceChatId);
    assert.equal(shown.flatMap((message) => message.files).length, 1);
    const visible = shown.map((message) => message.text).join("\n");
    assert.match(visible, /Two files/);
    assert.match(visible, /missing\.pdf/);
  });
}

function testPlaces(contract: Contract): void {
  if (contract.channel.hasGroups !== false) testGroupAnswers(contract);

  if (contract.channel.hasThreads === false) return;
  contract.test("answers in the thread where it was asked, with every part", async (running) => {
    const { platform, gateway, folder } = running;
    const asked = { inGroup: true, mentionsBot: true, text: "hi", thread: "one" };
    const { chatId } = platform.userSays(asked);
    await running.hasTexts(1);
    const context = gateway.inbounds[0]?.context ?? {};
    const path = join(folder, "notes.txt");
    await Deno.writeTextFile(path, "notes");
    const text = Array.from({ length: 6_000 }, (_, index) => `word${index}`).join(" ");
    await running.show({ key: KEY, chatId, context, text, media: [path] });
    const shown = platform.shown(chatId);
    if (contract.channel.hasParts !== false) assert.ok(shown.length > 1);
    assert.deepEqual([...new Set(shown.map(({ thread }) => thread))], ["one"]);
  });
}

function testGroupAnswers(contract: Contract): void {
  contract.test("answers in the group where it was asked", async (running) => {
    const { platform, gateway } = running;
    const { chatId } = platform.userSays({ inGroup: true, mentionsBot: true, text: "hi" });
    await running.hasTexts(1);
    const context = gateway.inbounds[0]?.context ?? {};
    await running.show({ key: KEY, chatId, context, text: "Hello, group" });
    const shown = platform.shown(chatId);
    assert.deepEqual(shown.map(({ text, thread }) => [text, thread]), [["Hello, group", null]]);
  });
}

/** The words of what is shown, in order. */
export function wordsOf(shown: readonly ShownMessage[]): readonly string[] {
  return shown.flatMap(({ text }) => text.split(/\s+/)).filter((word) => word !== "");
}
