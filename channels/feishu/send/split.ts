/**
 * Splits Markdown into pieces that each keep a size and a number of tables: at paragraphs where
 * that fits, else at lines, else inside a line. Code fences and tables that are cut begin anew.
 * @module
 */

/** What a piece may hold. */
export interface SplitLimits {
  /** Bytes of the piece as a JSON string. */
  readonly bytesMax: number;
  /** @default no limit */
  readonly tablesMax?: number;
}

/** A paragraph, a code block or a table, with what must stand around each part of it. */
interface Block {
  readonly kind: "paragraph" | "fence" | "table";
  /** Lines repeated before each part: the opening fence, the table's head. */
  readonly head: readonly string[];
  readonly lines: readonly string[];
  /** Lines repeated after each part: the closing fence. */
  readonly foot: readonly string[];
}

const FENCE_OPEN = /^[ \t]{0,3}(`{3,}|~{3,})(.*)$/;
const TABLE_ROW = /^[ \t]*\|.*\|[ \t]*$/;
const TABLE_RULE = /^[ \t]*\|[ \t:|-]*-[ \t:|-]*\|[ \t]*$/;

const encoder = new TextEncoder();

/** Bytes of `text` inside a JSON string. */
export function jsonBytes(text: string): number {
  return encoder.encode(JSON.stringify(text)).length - 2;
}

/**
 * The pieces of `text`, in order; none is blank. A text that keeps the limits stays as it is.
 * Pieces are filled from the start, so those of a growing text seldom change once the next one has
 * begun.
 */
export function splitMarkdown(text: string, limits: SplitLimits): readonly string[] {
  const { bytesMax, tablesMax = Infinity } = limits;
  const pieces: string[] = [];
  let current: string[] = [];
  let bytes = 0;
  let tables = 0;
  const flush = (): void => {
    if (current.length > 0) pieces.push(current.join("\n\n"));
    current = [];
    bytes = 0;
    tables = 0;
  };
  const blocks = blocksOf(text);
  const tablesInAll = blocks.filter((block) => block.kind === "table").length;
  if (blocks.length > 0 && jsonBytes(text) <= bytesMax && tablesInAll <= tablesMax) return [text];
  for (const block of blocks) {
    for (const part of partsOf(block, bytesMax)) {
      const partBytes = jsonBytes(part) + SEPARATOR_BYTES;
      const isTable = block.kind === "table";
      if (bytes + partBytes > bytesMax || (isTable && tables >= tablesMax)) flush();
      current.push(part);
      bytes += partBytes;
      if (isTable) tables++;
    }
  }
  flush();
  return pieces;
}

/** The pieces of plain text: cut at line ends where possible, otherwise unchanged. */
export function splitPlain(text: string, bytesMax: number): readonly string[] {
  return packLines(text.split("\n"), bytesMax).map((lines) => lines.join("\n"))
    .filter((piece) => piece.trim() !== "");
}

/** Two escaped line ends between blocks. */
const SEPARATOR_BYTES = 4;
/** One escaped line end. */
const LINE_END_BYTES = 2;

function blocksOf(text: string): readonly Block[] {
  const lines = text.split(/\r?\n/);
  const blocks: Block[] = [];
  for (let at = 0; at < lines.length;) {
    const line = lines[at] ?? "";
    if (line.trim() === "") at++;
    else {at = takeFence(lines, at, blocks) ?? takeTable(lines, at, blocks) ??
        takeText(lines, at, blocks);}
  }
  return blocks;
}

function takeFence(lines: readonly string[], start: number, blocks: Block[]): number | undefined {
  const open = FENCE_OPEN.exec(lines[start] ?? "");
  if (open === null) return undefined;
  const mark = open[1] ?? "```";
  const isClose = (line: string): boolean => {
    const bare = line.trim();
    return bare.length >= mark.length && bare === mark.charAt(0).repeat(bare.length);
  };
  let end = start + 1;
  while (end < lines.length && !isClose(lines[end] ?? "")) end++;
  blocks.push({
    kind: "fence",
    head: lines.slice(start, start + 1),
    lines: lines.slice(start + 1, end),
    foot: [mark],
  });
  return end + 1;
}

function takeTable(lines: readonly string[], start: number, blocks: Block[]): number | undefined {
  if (!isTableAt(lines, start)) return undefined;
  let end = start + 2;
  while (TABLE_ROW.test(lines[end] ?? "")) end++;
  const head = lines.slice(start, start + 2);
  blocks.push({ kind: "table", head, lines: lines.slice(start + 2, end), foot: [] });
  return end;
}

function takeText(lines: readonly string[], start: number, blocks: Block[]): number {
  let end = start + 1;
  while (end < lines.length && !endsText(lines, end)) end++;
  blocks.push({ kind: "paragraph", head: [], lines: lines.slice(start, end), foot: [] });
  return end;
}

function endsText(lines: readonly string[], at: number): boolean {
  const line = lines[at] ?? "";
  return line.trim() === "" || FENCE_OPEN.test(line) || isTableAt(lines, at);
}

function isTableAt(lines: readonly string[], at: number): boolean {
  return TABLE_ROW.test(lines[at] ?? "") && TABLE_RULE.test(lines[at + 1] ?? "");
}

/** The block in parts of at most `bytesMax`, each complete in itself. */
function partsOf(block: Block, bytesMax: number): readonly string[] {
  const frame = [...block.head, ...block.foot];
  const frameBytes = frame.reduce((sum, line) => sum + jsonBytes(line) + LINE_END_BYTES, 0);
  const room = bytesMax - frameBytes - SEPARATOR_BYTES;
  // A frame that leaves no room (a table head of its own size) is treated as text.
  if (room < bytesMax / 4) {
    return packLines([...block.head, ...block.lines], bytesMax - SEPARATOR_BYTES).map(join);
  }
  const packs = packLines(block.lines, room);
  return (packs.length === 0 ? [[]] : packs).map((lines) =>
    join([...block.head, ...lines, ...block.foot])
  );
}

function join(lines: readonly string[]): string {
  return lines.join("\n");
}

/** Groups lines so that each group keeps `bytesMax`; a line that is too long is cut. */
function packLines(lines: readonly string[], bytesMax: number): readonly (readonly string[])[] {
  const packs: string[][] = [];
  let pack: string[] = [];
  let bytes = 0;
  for (const line of lines.flatMap((whole) => cutLine(whole, bytesMax))) {
    const lineBytes = jsonBytes(line) + LINE_END_BYTES;
    if (pack.length > 0 && bytes + lineBytes > bytesMax) {
      packs.push(pack);
      pack = [];
      bytes = 0;
    }
    pack.push(line);
    bytes += lineBytes;
  }
  if (pack.length > 0) packs.push(pack);
  return packs;
}

/** Cuts between characters, never inside one. */
function cutLine(line: string, bytesMax: number): readonly string[] {
  const room = bytesMax - LINE_END_BYTES;
  if (jsonBytes(line) <= room) return [line];
  const cuts: string[] = [];
  let cut = "";
  let bytes = 0;
  for (const character of line) {
    const characterBytes = jsonBytes(character);
    if (bytes + characterBytes > room) {
      cuts.push(cut);
      cut = "";
      bytes = 0;
    }
    cut += character;
    bytes += characterBytes;
  }
  cuts.push(cut);
  return cuts;
}
