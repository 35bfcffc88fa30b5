/**
 * Folders of the configuration that are not there: a slip of the pen otherwise shows only when a
 * tool finds nothing.
 * @module
 */

import type { ToolsConfig } from "../config/schema/tools.ts";

/** One line for each, for the start. `isMissing` takes the path as the configuration has it. */
export function missingFolderLines(
  { readableFolders, writableFolders }: Pick<ToolsConfig, "readableFolders" | "writableFolders">,
  isMissing: (path: string) => boolean,
): readonly string[] {
  const line = (key: string) => (path: string) =>
    `Warning: tools.${key} names "${path}", and there is no such folder: tools find nothing there`;
  return [
    ...readableFolders.filter(isMissing).map(line("readableFolders")),
    ...writableFolders.filter(isMissing).map(line("writableFolders")),
  ];
}
