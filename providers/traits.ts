/**
 * What sets vendors and models apart in their requests and answers. A request is built from the
 * traits of its vendor and model, which lie over each other in layers.
 * @module
 */

import { MODEL_RULES } from "./model_rules.ts";
import { DEFAULT_TRAITS, type ModelRule, type Traits } from "./trait_kinds.ts";
import type { Vendor } from "./vendor.ts";

/**
 * The traits of a model at a vendor. Later layers win: what all do, the vendor's habits, what the
 * model is like anywhere, what it is like at this vendor, what the vendor insists on.
 *
 * @param model as it is sent
 */
export function traitsOf(vendor: Vendor, model: string): Traits {
  const name = model.slice(model.lastIndexOf("/") + 1).toLowerCase();
  const fitting = (rules: readonly ModelRule[]) =>
    rules.filter(({ models }) => models.test(name)).map(({ traits }) => traits);
  const layers = [
    vendor.traits ?? {},
    ...fitting(MODEL_RULES),
    ...fitting(vendor.models ?? []),
    vendor.always ?? {},
  ];
  const merged = layers.reduce<Traits>((below, layer) => ({
    ...below,
    ...layer,
    body: { ...below.body, ...layer.body },
    toolBody: { ...below.toolBody, ...layer.toolBody },
    efforts: { ...below.efforts, ...layer.efforts },
  }), DEFAULT_TRAITS);
  // Behind a router only Claude's prompts are cached on request.
  const isCached = vendor.backend === "anthropic" || name.startsWith("claude");
  return { ...merged, cachesPrompts: merged.cachesPrompts && isCached };
}
