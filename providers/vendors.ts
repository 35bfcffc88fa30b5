/**
 * Who answers chat requests: all vendors, and how their names are written.
 * @module
 */

import type { Vendor } from "./vendor.ts";
import { HOSTS } from "./vendors/hosts.ts";
import { LOCAL_SERVERS } from "./vendors/local.ts";
import { MAKERS } from "./vendors/makers.ts";
import { ROUTERS } from "./vendors/routers.ts";

/** All vendors; the order decides where several would do. */
export const VENDORS: readonly Vendor[] = [...ROUTERS, ...MAKERS, ...LOCAL_SERVERS, ...HOSTS];

/** Finds a vendor by its name in snake_case, camelCase or with hyphens. */
export function findVendor(name: string): Vendor | undefined {
  const wanted = toSnakeCase(name);
  return VENDORS.find((vendor) => vendor.name === wanted);
}

/** `volcengineCodingPlan` and `volcengine-coding-plan` as `volcengine_coding_plan`. */
export function toSnakeCase(name: string): string {
  return name.replaceAll("-", "_").replace(/(?<=[a-z0-9])[A-Z]/g, "_$&").toLowerCase();
}

/** `lm_studio` as `lmStudio`: the key in the config. */
export function toCamelCase(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
