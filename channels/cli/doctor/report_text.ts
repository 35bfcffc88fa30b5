/**
 * What `doctor` says.
 * @module
 */

import type { Examined } from "./examine.ts";
import type { FindingState } from "./finding.ts";

const SIGNS: Readonly<Record<FindingState, string>> = {
  ok: "✓",
  warning: "!",
  fault: "✗",
  skipped: "-",
};

/** A finding, with what to do about it below. */
export function findingText({ check, state, detail, fix }: Examined): string {
  const line = `${SIGNS[state]} ${check}: ${detail}\n`;
  return fix === null ? line : `${line}    ${fix}\n`;
}

/** The end of it. */
export function summaryText(found: readonly Examined[]): string {
  const faults = count(found, "fault");
  const warnings = count(found, "warning");
  if (faults + warnings === 0) return "All is well.\n";
  return `${amount(faults, "fault")}, ${amount(warnings, "warning")}.\n`;
}

/** For scripts. */
export function reportJson(found: readonly Examined[]): string {
  const faults = count(found, "fault");
  const report = { ok: faults === 0, faults, warnings: count(found, "warning"), findings: found };
  return `${JSON.stringify(report, null, 2)}\n`;
}

function count(found: readonly Examined[], state: FindingState): number {
  return found.filter((finding) => finding.state === state).length;
}

function amount(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
