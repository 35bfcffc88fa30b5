/**
 * Keys of vendors that stand in the environment, under the names that their vendors tell people.
 * @module
 */

import { isKind, type Vendor } from "./vendor.ts";
import { VENDORS } from "./vendors.ts";

/** A vendor whose key is there. */
export interface FoundKey {
  readonly vendor: Vendor;
  /** The variable that holds it. */
  readonly variable: string;
}

/** Names besides `<VENDOR>_API_KEY`, as the vendors' own manuals and SDKs have them. */
const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
  gemini: ["GOOGLE_API_KEY"],
  zhipu: ["ZAI_API_KEY", "ZHIPUAI_API_KEY"],
  volcengine: ["ARK_API_KEY"],
  huggingface: ["HF_TOKEN"],
  modelscope: ["MODELSCOPE_SDK_TOKEN"],
};

/** Vendors that need nothing but a key which `env` has, in the vendors' order. */
export function keysInEnvironment(
  env: Readonly<Record<string, string | undefined>>,
): readonly FoundKey[] {
  return VENDORS.filter(needsOnlyKey).flatMap((vendor) => {
    const names = [`${vendor.name.toUpperCase()}_API_KEY`, ...OTHER_NAMES[vendor.name] ?? []];
    const variable = names.find((name) => (env[name] ?? "").trim() !== "");
    return variable === undefined ? [] : [{ vendor, variable }];
  });
}

/** Whether a key is all that is needed to use a vendor. */
export function needsOnlyKey(vendor: Vendor): boolean {
  return vendor.defaultBaseUrl !== undefined &&
    !isKind(vendor, "local") && !isKind(vendor, "direct") && !isKind(vendor, "oauth");
}
