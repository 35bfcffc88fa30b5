/**
 * What `providers` and its tests say.
 * @module
 */

import type { Inventory, InventoryEntry } from "../../providers/inventory.ts";
import type { TrialFault, TrialResult } from "../../providers/trial.ts";
import { hintOf } from "../../providers/trial_hint.ts";

/** An entry, and who is signed in there. */
export interface ProviderLine extends InventoryEntry {
  /** Null where nobody is, "" where the server does not say who. */
  readonly account: string | null;
}

/** Which provider was tried. */
export interface Tried {
  readonly name: string;
  readonly baseUrl: string;
  readonly model: string;
}

/** What to do about a fault. */
const REMEDIES: Readonly<Record<TrialFault, string>> = {
  key: "the key or sign-in is not accepted; check apiKey, or sign in anew by provider login",
  url: "what answers there is no such model server; check apiBase",
  "model name": "the model is not known there; check agents.defaults.model, or give --model",
  quota: "the account has no credit or quota left",
  "rate limit": "the provider limits requests right now; try again later",
  network: "nothing answers there; check apiBase, network and proxy",
  server: "the server cannot answer right now; try again later",
  request: "the provider did not accept the request",
  answer: "the answer cannot be used",
};

/** The vendor's words are cut here: one line is read, a page is not. */
const DETAIL_CHARS_MAX = 300;

/** All providers, for people: those that are set up first. */
export function inventoryText(
  { model, problem }: Pick<Inventory, "model" | "problem">,
  providers: readonly ProviderLine[],
): string {
  const ready = readyProviders(providers);
  const others = providers.filter((provider) => !ready.includes(provider));
  const named = (needs: InventoryEntry["needs"]) =>
    others.filter((other) => other.needs === needs).map(({ name }) => name).join(", ");
  return [
    `Model: ${model}${problem === null ? "" : ` (${problem})`}`,
    ready.length === 0 ? "Set up: none" : "Set up:",
    ...ready.map(readyLine),
    "Known, and not set up:",
    `  with a key: ${named("key")}`,
    `  on your own machine: ${named("local")}`,
    `  with an address: ${named("address")}`,
    `  with a sign-in (provider login): ${named("sign_in")}`,
  ].filter((line) => !line.endsWith(": ")).map((line) => `${line}\n`).join("");
}

/** Those that are set up, or that the configuration asks. */
export function readyProviders(providers: readonly ProviderLine[]): readonly ProviderLine[] {
  return providers.filter(({ isConfigured, account, isCurrent, standIns }) =>
    isConfigured || isCurrent || account !== null || standIns.length > 0
  );
}

/** One of them, for people. */
export function readyLine(
  { name, displayName, baseUrl, isCurrent, standIns, account, needs }: ProviderLine,
): string {
  const who = needs !== "sign_in"
    ? ""
    : account === null
    ? ", not signed in"
    : `, signed in${account === "" ? "" : ` as ${account}`}`;
  const where = baseUrl === null ? "" : ` at ${baseUrl}`;
  return `  ${isCurrent ? "*" : " "} ${name}: ${displayName}${where}${who}` +
    (isCurrent ? " (answers now)" : "") +
    (standIns.length > 0 ? ` (stands in with ${standIns.join(", ")})` : "");
}

/** How a trial went, in one line. */
export function trialText(tried: Tried, result: TrialResult): string {
  const what = `${tried.name} at ${tried.baseUrl}`;
  if (result.state === "ok") return `✓ ${what}: ${answeredText(tried, result.tookMs)}\n`;
  const { detail, remedy } = failureOf(tried, result);
  return `✗ ${what}: ${result.fault}: ${remedy} ("${tried.model}"; ${detail})\n`;
}

/** The same for a list of what was looked at, with what to do; null where all is well. */
export function trialFinding(
  tried: Tried,
  result: TrialResult,
): { readonly what: string; readonly remedy: string | null } {
  const { name, baseUrl, model } = tried;
  if (result.state === "ok") {
    return { what: `${answeredText(tried, result.tookMs)} (${name} at ${baseUrl})`, remedy: null };
  }
  const { detail, remedy } = failureOf(tried, result);
  const what = `"${model}" does not answer (${name} at ${baseUrl}): ${result.fault}: ${detail}`;
  return { what, remedy };
}

function answeredText({ model }: Tried, tookMs: number): string {
  return `"${model}" answered in ${tookMs} ms`;
}

function failureOf(
  { baseUrl }: Tried,
  { fault, error }: Extract<TrialResult, { readonly state: "failed" }>,
): { readonly detail: string; readonly remedy: string } {
  const detail = error.message.replaceAll(/\s+/g, " ").slice(0, DETAIL_CHARS_MAX);
  return { detail, remedy: hintOf(error, baseUrl) ?? REMEDIES[fault] };
}
