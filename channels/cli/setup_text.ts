/**
 * What `channels login` says.
 * @module
 */

import { renderUnicodeCompact } from "uqr";
import type { SetupCheck, SetupReport } from "../setup.ts";

const SIGNS: Readonly<Record<SetupCheck["state"], string>> = {
  ok: "✓",
  missing: "✗",
  unknown: "?",
};

/** A check as a line, with what to do about it below. */
export function checkLine({ name, state, detail, remedy, url }: SetupCheck): string {
  const lines = [`${SIGNS[state]} ${name}: ${detail}`];
  if (remedy !== null) lines.push(`    ${remedy}`);
  if (url !== null) lines.push(`    ${url}`);
  return lines.join("\n");
}

/** The end of it: what is still to be done, in short. */
export function reportLines({ isReady, checks }: SetupReport): readonly string[] {
  const missing = checks.filter(({ state }) => state === "missing");
  if (missing.length === 0) return ["Ready: start the gateway, and write to the bot."];
  const needed = missing.filter((check) => check.isNeeded).map(({ name }) => name);
  const others = missing.filter((check) => !check.isNeeded).map(({ name }) => name);
  return [
    ...(needed.length > 0 ? [`Missing: ${needed.join(", ")}`] : []),
    ...(others.length > 0 ? [`Missing, and optional: ${others.join(", ")}`] : []),
    isReady
      ? "Ready all the same: start the gateway, and write to the bot."
      : "Switch on what is missing, then run this command again.",
  ];
}

/** An address as a code that a phone can read off the terminal. */
export function qrCode(url: string): string {
  return renderUnicodeCompact(url, { border: 2 });
}
