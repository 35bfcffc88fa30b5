/**
 * What models cost: the vendors' list prices, which the configuration completes and overrides.
 * @module
 */

import { z } from "zod";
import { wireModelName } from "./model_names.ts";
import listed from "./prices.json" with { type: "json" };
import { isKind } from "./vendor.ts";
import { findVendor } from "./vendors.ts";

/** What a model costs, in US dollars for a million tokens. */
export interface Price {
  readonly input: number;
  readonly output: number;
  /** Of the input, what is read from the vendor's cache. */
  readonly cachedInput: number;
  /** Of the input, what is written to the vendor's cache. */
  readonly cacheWrite: number;
}

/** A price as people write it: what is missing of the input costs what input costs. */
export interface WrittenPrice {
  readonly input: number;
  readonly output: number;
  readonly cachedInput?: number | null;
  readonly cacheWrite?: number | null;
}

/** What a call used that has a price. */
export interface PricedTokens {
  readonly inputTokens: number;
  readonly cachedTokens: number;
  readonly cacheWriteTokens: number;
  readonly outputTokens: number;
}

/** What a model costs with a provider; null where nobody knows, which is not the same as nothing. */
export type PriceList = (provider: string, model: string) => Price | null;

const FREE: Price = { input: 0, output: 0, cachedInput: 0, cacheWrite: 0 };

const amount = z.number().nonnegative();

/** Input, output, cached input, and what is written to the cache. */
const LISTED: Readonly<Record<string, readonly number[]>> = z
  .record(z.string(), z.array(amount).min(2).max(4))
  .parse(listed.usdPerMillionTokens);

/** The price of a date's or a preview's version is that of its model. */
const VERSION = /^(?:-(?:latest|preview|exp|\d{2}|\d{4}|\d{6}|\d{8}))+$/;

/**
 * The prices there are: first those of `overrides`, by `provider/model` or model; then nothing for
 * servers of one's own, none for subscriptions, and the vendors' lists for all others.
 */
export function priceList(overrides: Readonly<Record<string, WrittenPrice>> = {}): PriceList {
  const own = new Map(
    Object.entries(overrides).map(([name, price]) => [folded(name), completed(price)] as const),
  );
  // Asked at every call, and there are as many as the configuration names.
  const known = new Map<string, Price | null>();
  return (provider, model) => {
    const key = `${provider}/${model}`;
    let price = known.get(key);
    if (price === undefined) known.set(key, price = lookUp(provider, model, own));
    return price;
  };
}

function lookUp(
  provider: string,
  model: string,
  own: ReadonlyMap<string, Price>,
): Price | null {
  const vendor = findVendor(provider);
  const names = [`${provider}/${model}`, model];
  if (vendor !== undefined) {
    const wire = wireModelName(vendor, model);
    names.push(`${provider}/${wire}`, wire);
  }
  for (const name of names) {
    const price = own.get(folded(name));
    if (price !== undefined) return price;
  }
  if (vendor !== undefined && isKind(vendor, "local")) return FREE;
  const isSubscription = vendor !== undefined && isKind(vendor, "oauth");
  return isSubscription || provider.endsWith("_plan") ? null : listedPrice(model);
}

/** What tokens cost, in billionths of a US dollar. */
export function costNanos(price: Price, tokens: PricedTokens): number {
  const { cachedTokens, cacheWriteTokens, outputTokens } = tokens;
  const plainTokens = Math.max(0, tokens.inputTokens - cachedTokens - cacheWriteTokens);
  // A dollar for a million tokens is a thousand billionths for one.
  return Math.round(
    1_000 * (plainTokens * price.input + cachedTokens * price.cachedInput +
      cacheWriteTokens * price.cacheWrite + outputTokens * price.output),
  );
}

/** A router writes the maker before the name: prices go by the last part. */
function listedPrice(model: string): Price | null {
  const name = folded(model.slice(model.lastIndexOf("/") + 1));
  const key = Object.keys(LISTED)
    .filter((known) => name === known || VERSION.test(suffix(name, known)))
    .toSorted((a, b) => b.length - a.length)[0];
  const [input, output, cachedInput, cacheWrite] = LISTED[key ?? ""] ?? [];
  if (input === undefined || output === undefined) return null;
  return completed({
    input,
    output,
    cachedInput: cachedInput ?? null,
    cacheWrite: cacheWrite ?? null,
  });
}

function suffix(name: string, known: string): string {
  return name.startsWith(known) ? name.slice(known.length) : "";
}

function completed({ input, output, cachedInput, cacheWrite }: WrittenPrice): Price {
  return { input, output, cachedInput: cachedInput ?? input, cacheWrite: cacheWrite ?? input };
}

/** Vendors and routers write `4.5` and `4-5` for the same version. */
function folded(name: string): string {
  return name.toLowerCase().replaceAll(".", "-");
}
