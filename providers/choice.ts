/**
 * Which vendor answers for a model, under a config.
 * @module
 */

import { hasKeyword, prefixOf } from "./model_names.ts";
import { findVendor, toCamelCase, type Vendor, VENDORS } from "./vendors.ts";

/** A vendor's section of the config. */
export interface ProviderSection {
  readonly apiKey?: string | null | undefined;
  readonly apiBase?: string | null | undefined;
  readonly extraHeaders?: Readonly<Record<string, string>> | null | undefined;
}

/** What the choice is made from. */
export interface ChoiceOptions {
  /** `agents.defaults.model`. */
  readonly model: string;
  /** `agents.defaults.provider`: a vendor's name, or `auto`. */
  readonly provider: string;
  /** `providers` of the config, by name in camelCase or snake_case. */
  readonly providers: Readonly<Record<string, ProviderSection | undefined>>;
}

/** A vendor and how to reach it. */
export interface ChosenProvider {
  readonly state: "chosen";
  readonly vendor: Vendor;
  /** Absolute URL without a slash at its end. */
  readonly baseUrl: string;
  /** "" where none is needed. */
  readonly apiKey: string;
  readonly extraHeaders: Readonly<Record<string, string>>;
}

/** The vendor for a model; nothing set up at all; or what keeps a set-up from working. */
export type ProviderChoice =
  | ChosenProvider
  | { readonly state: "unconfigured" }
  | {
    readonly state: "problem";
    /** Dotted key of the config. */
    readonly key: string;
    /** One sentence that names the key. */
    readonly problem: string;
  };

/**
 * Chooses by the first rule that fits: the provider that the config names; the one that the
 * model's prefix names; one whose keyword stands in the model's name; a local server with an
 * `apiBase`; the first that has a key.
 */
export function chooseProvider(options: ChoiceOptions): ProviderChoice {
  const { provider, providers, model } = options;
  const config = new Sections(providers);
  if (provider !== "" && provider !== "auto") {
    const vendor = findVendor(provider);
    if (vendor === undefined) {
      return problem("agents.defaults.provider", `no provider has the name "${provider}"`);
    }
    return config.reach(vendor);
  }
  const named = findVendor(prefixOf(model));
  if (named !== undefined && config.isUsable(named)) return config.reach(named);
  const matching = named === undefined ? findByKeyword(model, config) : undefined;
  const vendor = matching ?? config.configuredLocal() ?? config.anyWithKey(named);
  if (vendor !== undefined) return config.reach(vendor);
  if (named === undefined || config.isEmpty) return { state: "unconfigured" };
  return problem(
    keyOf(named, "apiKey"),
    `the model "${model}" names ${named.displayName}, which has no key`,
  );
}

function findByKeyword(model: string, config: Sections): Vendor | undefined {
  const prefix = prefixOf(model);
  const usable = VENDORS.filter((vendor) =>
    config.isUsable(vendor) && (!isKind(vendor, "local") || config.hasBaseUrl(vendor))
  );
  return usable.find(({ keywords }) => keywords.some((word) => prefixOf(`${word}/`) === prefix)) ??
    usable.find(({ keywords, notKeywords = [] }) =>
      keywords.some((keyword) => hasKeyword(model, keyword)) &&
      !notKeywords.some((keyword) => hasKeyword(model, keyword))
    );
}

/** The `providers` of a config, asked by vendor. */
class Sections {
  readonly #sections: Readonly<Record<string, ProviderSection | undefined>>;

  constructor(sections: Readonly<Record<string, ProviderSection | undefined>>) {
    this.#sections = sections;
  }

  /** No key and no endpoint anywhere. */
  get isEmpty(): boolean {
    return VENDORS.every((vendor) => this.#key(vendor) === "" && !this.hasBaseUrl(vendor));
  }

  hasBaseUrl(vendor: Vendor): boolean {
    return (this.#of(vendor).apiBase ?? "").trim() !== "";
  }

  /** Has what a match by name needs. */
  isUsable(vendor: Vendor): boolean {
    return isKind(vendor, "oauth") || isKind(vendor, "local") || this.#key(vendor) !== "" ||
      (isKind(vendor, "direct") && this.hasBaseUrl(vendor));
  }

  /** The local server with an `apiBase`, a telling one first. */
  configuredLocal(): Vendor | undefined {
    const local = VENDORS.filter((vendor) => isKind(vendor, "local") && this.hasBaseUrl(vendor));
    return local.find(({ baseUrlHint, ...vendor }) =>
      baseUrlHint !== undefined && this.#of(vendor).apiBase?.includes(baseUrlHint)
    ) ?? local[0];
  }

  /**
   * The first with a key, or with an endpoint of its own. When the model names a vendor that is
   * not set up, only those that route the models of others.
   */
  anyWithKey(named: Vendor | undefined): Vendor | undefined {
    return VENDORS.find((vendor) => {
      const isRouter = isKind(vendor, "gateway") || isKind(vendor, "direct");
      if (isKind(vendor, "oauth") || (named !== undefined && !isRouter)) return false;
      return this.#key(vendor) !== "" || (isKind(vendor, "direct") && this.hasBaseUrl(vendor));
    });
  }

  /** The choice of `vendor`, if nothing is missing. */
  reach(vendor: Vendor): ProviderChoice {
    if (vendor.backend !== "openai_compatible") {
      const key = isKind(vendor, "oauth") ? "agents.defaults.provider" : keyOf(vendor, "apiKey");
      if (this.isEmpty && !isKind(vendor, "oauth")) return { state: "unconfigured" };
      return problem(key, `${vendor.displayName} is not available yet`);
    }
    const apiKey = this.#key(vendor);
    const needsNoKey = isKind(vendor, "local") || isKind(vendor, "direct");
    const { apiBase, extraHeaders } = this.#of(vendor);
    const baseUrl = (apiBase ?? "").trim() || vendor.defaultBaseUrl;
    if (this.isEmpty && (baseUrl === undefined || (apiKey === "" && !needsNoKey))) {
      return { state: "unconfigured" };
    }
    if (baseUrl === undefined) return problem(keyOf(vendor, "apiBase"), "no address is set");
    if (!isHttpUrl(baseUrl)) {
      return problem(keyOf(vendor, "apiBase"), "its value is no http or https URL");
    }
    if (apiKey === "" && !needsNoKey) return problem(keyOf(vendor, "apiKey"), "no key is set");
    return {
      state: "chosen",
      vendor,
      baseUrl: baseUrl.replace(/\/+$/, ""),
      apiKey,
      extraHeaders: extraHeaders ?? {},
    };
  }

  #of(vendor: Pick<Vendor, "name">): ProviderSection {
    return this.#sections[toCamelCase(vendor.name)] ?? this.#sections[vendor.name] ?? {};
  }

  #key(vendor: Vendor): string {
    return (this.#of(vendor).apiKey ?? "").trim();
  }
}

function isKind(vendor: Vendor, kind: Vendor["kinds"][number]): boolean {
  return vendor.kinds.includes(kind);
}

function isHttpUrl(text: string): boolean {
  const url = URL.parse(text);
  return url?.protocol === "http:" || url?.protocol === "https:";
}

function keyOf(vendor: Vendor, key: "apiKey" | "apiBase"): string {
  return `providers.${toCamelCase(vendor.name)}.${key}`;
}

function problem(key: string, state: string): ProviderChoice {
  return { state: "problem", key, problem: `Cannot use "${key}": ${state}` };
}
