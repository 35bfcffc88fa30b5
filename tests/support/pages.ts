/**
 * The handbook's pages, and what stands in them for programs to try.
 * @module
 */

import { join } from "node:path";
import { projectFiles, ROOT } from "../tidy/project_files.ts";

/** Paths from the root of all pages for people. */
export async function handbookPages(): Promise<readonly string[]> {
  const files = await projectFiles();
  return files.filter((file) => file === "README.md" || /^docs\/.*\.md$/.test(file));
}

/** The text of a page. */
export function readPage(page: string): Promise<string> {
  return Deno.readTextFile(join(ROOT, page));
}

/** The texts of all fenced blocks of a language, without their indent. */
export function blocks(text: string, language: string): string[] {
  const fence = new RegExp(`^( *)\`\`\`${language}\\n([^]*?)^ *\`\`\`$`, "gm");
  return [...text.matchAll(fence)].map(([, indent = "", block = ""]) =>
    block.replaceAll(new RegExp(`^${indent}`, "gm"), "")
  );
}
