/**
 * What is known of a vendor. Adding one is one entry in `vendors/`, nothing else.
 * @module
 */

import type { ModelRule, Traits } from "./trait_kinds.ts";

/** The code that talks to a vendor. */
export type Backend =
  | "openai_compatible"
  | "openai"
  | "azure_openai"
  | "openai_codex"
  | "github_copilot"
  | "anthropic";

/** gateway: routes any model; local: on the user's machine, no key; direct: the user says all;
 * oauth: the credential comes from a sign-in. */
export type VendorKind = "gateway" | "local" | "direct" | "oauth";

/** One vendor. What is absent is false, empty or the way OpenAI does it. */
export interface Vendor {
  /** snake_case; the key under `providers` in the config is the same in camelCase. */
  readonly name: string;
  readonly displayName: string;
  /** Looked for in model names, by whole segments. */
  readonly keywords: readonly string[];
  /** Names that a keyword fits but that belong to others. */
  readonly notKeywords?: readonly string[];
  readonly backend: Backend;
  readonly kinds: readonly VendorKind[];
  /** Used when the config gives none; without one the config must. */
  readonly defaultBaseUrl?: string;
  /** Part of a base URL that tells several local servers apart. */
  readonly baseUrlHint?: string;
  /** Begins the keys of this vendor and of no other. */
  readonly keyPrefix?: string;
  /** Sends only what follows the last `/` of a model's name. */
  readonly stripsModelPath?: true;
  /** All its models are `maker/model`, its own (`openrouter/auto`) included. */
  readonly namesModelsByPath?: true;
  /** Sent with each request; the user's `extraHeaders` win. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Habits: they give way to what a model is like. */
  readonly traits?: Partial<Traits>;
  /** Models that are different here; all rules that fit a name apply. */
  readonly models?: readonly ModelRule[];
  /** What holds for every model here. */
  readonly always?: Partial<Traits>;
}

/** An entry: speaks chat completions unless it says otherwise. */
export function vendor(
  name: string,
  displayName: string,
  keywords: readonly string[],
  rest: Partial<Omit<Vendor, "name" | "displayName" | "keywords">> = {},
): Vendor {
  return { name, displayName, keywords, backend: "openai_compatible", kinds: [], ...rest };
}

/** Whether a vendor is of a kind. */
export function isKind({ kinds }: Vendor, kind: VendorKind): boolean {
  return kinds.includes(kind);
}
