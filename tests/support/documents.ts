/**
 * Documents made in tests, as small as they can be.
 * @module
 */

import { strToU8, zipSync } from "fflate";

/** An archive of texts. */
export function zipOf(parts: Readonly<Record<string, string>>): Uint8Array<ArrayBuffer> {
  const bytes = Object.entries(parts).map(([name, text]) => [name, strToU8(text)] as const);
  return new Uint8Array(zipSync(Object.fromEntries(bytes)));
}

/** A Word document with this XML in its body. */
export function docx(
  body: string,
  more: Readonly<Record<string, string>> = {},
): Uint8Array<ArrayBuffer> {
  const xml = `<w:document xmlns:w="w"><w:body>${body}</w:body></w:document>`;
  return zipOf({ "word/document.xml": xml, ...more });
}

/** A paragraph of a Word document. */
export function paragraph(text: string): string {
  return `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`;
}

/** A spreadsheet of sheets by name, each the XML of its rows. */
export function xlsx(
  sheets: Readonly<Record<string, string>>,
  more: Readonly<Record<string, string>> = {},
): Uint8Array<ArrayBuffer> {
  const names = Object.keys(sheets);
  const list = names.map((name, n) => `<sheet name="${name}" r:id="r${n}"/>`).join("");
  const rels = names.map((_, n) => `<Relationship Id="r${n}" Target="worksheets/s${n}.xml"/>`);
  const parts = names.map((name, n) => [
    `xl/worksheets/s${n}.xml`,
    `<worksheet><sheetData>${sheets[name]}</sheetData></worksheet>`,
  ]);
  return zipOf({
    "xl/workbook.xml": `<workbook xmlns:r="r"><sheets>${list}</sheets></workbook>`,
    "xl/_rels/workbook.xml.rels": `<Relationships>${rels.join("")}</Relationships>`,
    ...Object.fromEntries(parts),
    ...more,
  });
}

/** A presentation; each slide the XML of its shapes. */
export function pptx(slides: readonly string[]): Uint8Array<ArrayBuffer> {
  const parts = slides.map((xml, n) => [
    `ppt/slides/slide${n + 1}.xml`,
    `<p:sld xmlns:p="p" xmlns:a="a">${xml}</p:sld>`,
  ]);
  return zipOf(Object.fromEntries(parts));
}

/** A PDF document with one line of text on each page. */
export function pdf(pages: readonly string[]): Uint8Array<ArrayBuffer> {
  const objects: string[] = [];
  const kids = pages.map((_, n) => `${4 + n * 2} 0 R`).join(" ");
  objects.push("<< /Type /Catalog /Pages 2 0 R >>");
  objects.push(`<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`);
  objects.push("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>");
  for (const [n, text] of pages.entries()) {
    const stream = `BT /F1 12 Tf 20 100 Td (${text}) Tj ET`;
    objects.push(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Contents ${5 + n * 2} 0 R ` +
        "/Resources << /Font << /F1 3 0 R >> >> >>",
      `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
    );
  }
  let text = "%PDF-1.4\n";
  const offsets = objects.map((object, n) => {
    const offset = text.length;
    text += `${n + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const start = text.length;
  const entries = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`);
  text += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${entries.join("")}`;
  text += `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`;
  return new TextEncoder().encode(text);
}
