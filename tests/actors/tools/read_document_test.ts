import assert from "node:assert/strict";
import { join } from "node:path";
import { extractDocumentTool, readFileTool } from "../../../actors/tools/file_tools.ts";
import type { JsonObject } from "../../../actors/kernel/json.ts";
import { docx, paragraph, pdf, pptx, xlsx, zipOf } from "../../support/documents.ts";
import { type ToolBench, toolBench } from "../../support/tool_context.ts";

async function read(bench: ToolBench, path: string, bytes: Uint8Array, args: JsonObject = {}) {
  await Deno.writeFile(join(bench.workspace, path), bytes);
  const { content } = await readFileTool.call({ path, ...args }, bench.context);
  assert.ok(typeof content === "string");
  return content;
}

const WORD_TABLE = "<w:tbl><w:tr><w:tc><w:p><w:r><w:t>a</w:t></w:r></w:p></w:tc>" +
  "<w:tc><w:p><w:r><w:t>b</w:t></w:r></w:p></w:tc></w:tr></w:tbl>";

Deno.test("read_file gives a Word document's paragraphs, tables and headers", async () => {
  await using bench = await toolBench();
  const bytes = docx(
    paragraph("Hello &amp; welcome") + paragraph("  ") + WORD_TABLE +
      "<w:p><w:del><w:r><w:delText>gone</w:delText></w:r></w:del><w:r><w:t>kept</w:t></w:r></w:p>",
    { "word/header1.xml": `<w:hdr xmlns:w="w">${paragraph("Secret paper")}</w:hdr>` },
  );
  assert.equal(
    await read(bench, "A.DOCX", bytes),
    "Hello & welcome\na\tb\nkept\n\n--- Headers and footers ---\nSecret paper\n\n" +
      "(End of file, 6 lines)",
  );
});

Deno.test("read_file gives sheets with values, dates and shared texts", async () => {
  await using bench = await toolBench();
  const row = '<row><c r="A1" t="s"><v>0</v></c><c r="C1"><v>2.5</v></c>' +
    '<c r="D1" s="1"><v>46113</v></c><c r="E1" t="b"><v>1</v></c></row><row><c r="A2"/></row>';
  const bytes = xlsx({ Sales: row, Empty: "" }, {
    "xl/sharedStrings.xml": "<sst><si><r><t>Na</t></r><r><t>me</t></r></si></sst>",
    "xl/styles.xml": '<styleSheet><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs>' +
      "</styleSheet>",
  });
  const text = await read(bench, "a.xlsx", bytes);
  assert.equal(
    text,
    "--- Sheet: Sales ---\nName\t\t2.5\t2026-04-01\tTRUE\n\n(End of file, 2 lines)",
  );
});

Deno.test("read_file gives slides in order, with tables and groups", async () => {
  await using bench = await toolBench();
  const text = (words: string) => `<a:p><a:r><a:t>${words}</a:t></a:r></a:p>`;
  const table = `<a:tbl><a:tr><a:tc>${text("x")}</a:tc><a:tc>${text("y")}</a:tc></a:tr></a:tbl>`;
  const slides = [text("one"), `<p:grpSp><p:grpSp>${text("two")}</p:grpSp></p:grpSp>${table}`];
  assert.match(
    await read(bench, "a.pptx", pptx(slides)),
    /^--- Slide 1 ---\none\n\n--- Slide 2 ---\ntwo\nx\ty\n/,
  );
});

Deno.test("read_file gives pages of a PDF, and says how to go on", async () => {
  await using bench = await toolBench();
  const bytes = pdf(["first", "second", "third", "fourth", "fifth"]);
  assert.match(
    await read(bench, "a.pdf", bytes, { pages: "2-3" }),
    /^--- Page 2 ---\nsecond\n\n--- Page 3 ---\nthird\n\n\(Pages 2-3 of 5; go on with pages="4-5"\)$/,
  );
  assert.match(await read(bench, "a.pdf", bytes), /fifth\n\n\(Pages 1-5 of 5; this is the end\)$/);
  assert.match(await read(bench, "a.pdf", bytes, { pages: "9" }), /^Error: .*has 5 pages/);
  assert.match(await read(bench, "a.pdf", bytes, { pages: "x" }), /^Error: Cannot read pages "x"/);
  assert.match(await read(bench, "b.pdf", pdf([""])), /There is no text on these pages/);
});

Deno.test("read_file pages through a document that is long", async () => {
  await using bench = await toolBench();
  const lines = Array.from({ length: 3_000 }, (_, n) => paragraph(`paragraph number ${n + 1}`));
  const page = await read(bench, "a.docx", docx(lines.join("")));
  const next = Number(/go on with offset=(\d+)/.exec(page)?.[1]);
  assert.ok(page.length < 16_000 && next > 100);
  const second = await read(bench, "a.docx", docx(lines.join("")), { offset: next });
  assert.match(second, new RegExp(`^paragraph number ${next}\n`));
});

Deno.test.each<[string, Uint8Array, RegExp]>([
  ["cut.docx", docx(paragraph("x")).slice(0, 60), /damaged/],
  ["broken.docx", zipOf({ "word/document.xml": "<w:document><w:p>" }), /damaged/],
  [
    "entities.docx",
    zipOf({
      "word/document.xml": '<!DOCTYPE d [<!ENTITY a "aaaa">]><d>&a;&a;</d>',
    }),
    /damaged/,
  ],
  ["empty.docx", docx(""), /There is no text/],
  ["empty.xlsx", xlsx({ One: "" }), /There is no text/],
  ["cut.pdf", new TextEncoder().encode("%PDF-1.4\nrubbish"), /damaged or locked/],
  ["no.docx", new Uint8Array([0, 1, 2, 3, 0, 0]), /binary file/],
])("read_file says what is wrong with %s", async (name, bytes, problem) => {
  await using bench = await toolBench();
  assert.match(await read(bench, name, bytes), problem);
});

Deno.test("read_file shows a text that is only called a document", async () => {
  await using bench = await toolBench();
  assert.match(await read(bench, "a.docx", new TextEncoder().encode("just text")), /1\| just text/);
});

Deno.test("read_file does not unpack bombs", async () => {
  await using bench = await toolBench();
  const bomb = zipOf({ "word/document.xml": "<d>" + " ".repeat(130_000_000) + "</d>" });
  assert.ok(bomb.length < 1_000_000);
  assert.match(await read(bench, "bomb.docx", bomb), /unpacks to more than can be read/);
  // An archive that lies about the size gives no more than it promised.
  const liar = zipOf({ "word/document.xml": "<d>" + " ".repeat(1_000_000) + "</d>" });
  const view = new DataView(liar.buffer);
  for (let at = 0; at < liar.length - 46; at++) {
    if (view.getUint32(at, true) === 0x02014b50) view.setUint32(at + 24, 10, true);
  }
  assert.match(await read(bench, "liar.docx", liar), /damaged/);
});

Deno.test("extract_document gives the text of any file that has one", async () => {
  await using bench = await toolBench();
  const extract = async (path: string, bytes: Uint8Array) => {
    await Deno.writeFile(join(bench.workspace, path), bytes);
    return await extractDocumentTool.call({ path, chars_max: 1_000 }, bench.context);
  };
  const text = new TextEncoder().encode("print(1)\n");
  assert.deepEqual(await extract("a.py", text), { content: "print(1)\n", isError: false });
  assert.deepEqual(await extract("a.pdf", pdf(["one", "two"])), {
    content: "--- Page 1 ---\none\n\n--- Page 2 ---\ntwo",
    isError: false,
  });
  assert.deepEqual(await extract("a.docx", docx(paragraph("hi"))), {
    content: "hi",
    isError: false,
  });
  assert.equal((await extract("a.bin", new Uint8Array([0, 1, 2]))).isError, true);
});
