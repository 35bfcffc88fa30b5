/**
 * Whether a mail is from the one who it says it is from, by what the own server found out (SPF, DKIM
 * and DMARC). Everybody can write such results into a mail: only those of the own server count, and
 * only where it alone can have put them.
 * @module
 */

import type { Head, HeaderField } from "./mail.ts";

/** What is demanded. */
export interface AuthenticationRules {
  /** By what name the own server signs its results; null while that is not known. */
  readonly authServId: string | null;
  readonly verifyDkim: boolean;
  readonly verifySpf: boolean;
}

/** One check and what came of it. */
interface Result {
  readonly method: string;
  readonly result: string;
  /** By name: `header.d`, `smtp.mailfrom`. */
  readonly properties: ReadonlyMap<string, string>;
}

const RESULTS = "authentication-results";
const PROPERTY = /([a-z][\w-]*(?:\.[\w-]+)?)\s*=\s*([^\s;]+)/gi;

/**
 * Why a mail cannot be taken to be its sender's; null when it can. A passed DMARC check says that
 * the sender's domain stands behind it; without one each demanded check must have passed for that
 * very domain, or one above it.
 */
export function forgeryDoubt(
  head: Pick<Head, "fields" | "from">,
  { authServId, verifyDkim, verifySpf }: AuthenticationRules,
): string | null {
  if (!verifyDkim && !verifySpf) return null;
  if (authServId === null) return "it is not known by what name the own server signs its checks";
  const results = ownResults(head.fields, authServId);
  if (results.length === 0) return `it carries no results of "${authServId}"`;
  const domain = domainOf(head.from[0]?.address ?? "");
  if (hasPassed(results, "dmarc", ["header.from"], domain)) return null;
  const isSigned = hasPassed(results, "dkim", ["header.d", "header.i"], domain);
  if (verifyDkim && !isSigned) return `no DKIM signature of ${domain} was found valid`;
  const isSentBy = hasPassed(results, "spf", ["smtp.mailfrom", "smtp.from"], domain);
  if (verifySpf && !isSentBy) return `it did not come from a server that ${domain} names by SPF`;
  return null;
}

/** By what name the topmost results are signed; null without any. */
export function topAuthServId(fields: readonly HeaderField[]): string | null {
  const top = fields.find(({ name }) => name === RESULTS);
  return top === undefined ? null : signerOf(top.value) || null;
}

/**
 * The results that the own server wrote. What it adds stands above all that the mail brought along:
 * so its topmost results are its own, and further ones as long as nothing but the own server's lines
 * can stand there, which is above the topmost `Received`.
 */
function ownResults(fields: readonly HeaderField[], authServId: string): readonly Result[] {
  const received = fields.findIndex(({ name }) => name === "received");
  const above = fields.slice(0, received === -1 ? 0 : received)
    .filter(({ name }) => name === RESULTS);
  const top = fields.find(({ name }) => name === RESULTS);
  const trusted = above.length > 0 ? above : top === undefined ? [] : [top];
  return trusted.filter(({ value }) => signerOf(value) === authServId)
    .flatMap(({ value }) => resultsIn(value));
}

/** The name in front of the results. */
function signerOf(value: string): string {
  const [name = ""] = bare(value).split(";", 1)[0]?.trim().split(/\s+/) ?? [];
  return name.includes("=") ? "" : name.toLowerCase();
}

function resultsIn(value: string): readonly Result[] {
  return bare(value).split(";").slice(1).flatMap((text): readonly Result[] => {
    const [first, ...rest] = [...text.matchAll(PROPERTY)]
      .map(([, name = "", word = ""]) => [name.toLowerCase(), word] as const);
    if (first === undefined) return [];
    const [method, result] = first;
    return [{ method, result: result.toLowerCase(), properties: new Map(rest) }];
  });
}

/** Whether a check passed, and what it was about is the sender's domain or one above it. */
function hasPassed(
  results: readonly Result[],
  method: string,
  properties: readonly string[],
  domain: string,
): boolean {
  return results.some((one) => {
    if (one.method !== method || one.result !== "pass") return false;
    const about = properties.map((name) => one.properties.get(name)).find((word) => word);
    if (about === undefined) return false;
    const named = domainOf(about);
    return domain === named || (named.includes(".") && domain.endsWith(`.${named}`));
  });
}

/** What stands behind the last `@`; all of it without one. */
function domainOf(address: string): string {
  return address.slice(address.lastIndexOf("@") + 1).replace(/\.$/, "").toLowerCase();
}

/** The line without comments, which may stand in one another, and with quoted words made harmless. */
function bare(value: string): string {
  let text = "";
  let depth = 0;
  let isQuoted = false;
  for (let at = 0; at < value.length; at++) {
    const sign = value.charAt(at);
    if (sign === "\\" && (isQuoted || depth > 0)) at++;
    else if (isQuoted) {
      if (sign === '"') isQuoted = false;
      else if (/[\w.@+-]/.test(sign)) text += sign;
    } else if (sign === "(") depth++;
    else if (sign === ")") depth = Math.max(0, depth - 1);
    else if (depth > 0) continue;
    else if (sign === '"') isQuoted = true;
    else text += sign;
  }
  return text;
}
