/**
 * Examples below the help of a command.
 * @module
 */

/** What the program is called in texts for people. */
export const PROGRAM = "troupe";

/**
 * The lines for `addHelpText("after", …)`.
 *
 * @param commandLines without the program's name: `status --json`
 */
export function examples(...commandLines: readonly string[]): string {
  return `\nExamples:\n${commandLines.map((line) => `  ${PROGRAM} ${line}`).join("\n")}`;
}
