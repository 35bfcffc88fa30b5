/**
 * What a model's name tells. Names are compared by whole segments (`/ - _ . :` separate them), so
 * that `spark` is no `ark` and `doubao1.5` no `o1`.
 * @module
 */

import type { Vendor } from "./vendor.ts";

/** Whether `keyword` stands in `model` as whole segments, the last of which may go on (`qwen3`). */
export function hasKeyword(model: string, keyword: string): boolean {
  const segments = segmentsOf(model);
  const wanted = segmentsOf(keyword);
  const last = wanted.length - 1;
  return segments.some((_, start) =>
    wanted.every((segment, offset) => {
      const found = segments[start + offset];
      return offset === last ? found?.startsWith(segment) ?? false : found === segment;
    })
  );
}

/** The part before the first `/` as a vendor's name would be written; "" when there is none. */
export function prefixOf(model: string): string {
  const slash = model.indexOf("/");
  return slash < 0 ? "" : model.slice(0, slash).toLowerCase().replaceAll("-", "_");
}

/** The model's name as `vendor` knows it: without the prefix that only named the vendor. */
export function wireModelName(vendor: Vendor, model: string): string {
  if (vendor.stripsModelPath) return model.slice(model.lastIndexOf("/") + 1);
  const prefix = prefixOf(model);
  if (prefix === "") return model;
  const rest = model.slice(model.indexOf("/") + 1);
  if (prefix === vendor.name) {
    return vendor.namesModelsByPath && !rest.includes("/") ? model : rest;
  }
  // A router's models carry their makers' names; a maker's own do not.
  const isAlias = vendor.keywords.some((keyword) => keyword.replaceAll("-", "_") === prefix);
  return isAlias && vendor.kinds.length === 0 ? rest : model;
}

function segmentsOf(name: string): readonly string[] {
  return name.toLowerCase().split(/[/\-_.:]/).filter((segment) => segment !== "");
}
