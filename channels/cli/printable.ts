/**
 * What others wrote, on its way to a terminal.
 * @module
 */

/** All control characters but tab and line feed. */
const CONTROLS = /(?![\t\n])\p{Cc}/gu;

/**
 * Text of others without power over the terminal (its title, its clipboard, what stands on it):
 * carriage returns go, signs stand for other control characters. Each by itself, so that a text
 * that grows keeps its start.
 */
export function printable(text: string): string {
  return text.replaceAll(CONTROLS, (control) => {
    const code = control.charCodeAt(0);
    if (control === "\r") return "";
    return code < 0x20 ? String.fromCharCode(0x2400 + code) : code === 0x7f ? "␡" : "\ufffd";
  });
}

/** Lines of it. */
export function printableLines(lines: readonly string[]): string {
  return lines.map((line) => `${printable(line)}\n`).join("");
}
