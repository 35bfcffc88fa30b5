/**
 * Which vendor answers for a model, under a config.
 * @module
 */

import type { JsonObject } from "../actors/kernel/json.ts";
import { nearestName } from "../actors/config/spelling.ts";
import { hasKeyword, prefixOf } from "./model_names.ts";
import type { ThinkingSwitch } from "./trait_kinds.ts";
import { isKind, type Vendor, vendor as newVendor } from "./vendor.ts";
import { findVendor, toCamelCase, toSnakeCase, VENDORS } from "./vendors.ts";

/** Which of OpenAI's protocols is spoken; `auto` decides by model. */
export type ApiType = "auto" | "chat_completions" | "responses";

/** A vendor's section of the config. */
export interface ProviderSection {
  readonly apiKey?: string | null | undefined;
  readonly apiBase?: string | null | undefined;
  readonly extraHeaders?: Readonly<Record<string, string>> | null | undefined;
  /** Parameters of each URL. */
  readonly extraQuery?: Readonly<Record<string, string>> | null | undefined;
  /** Laid over the body of each request. */
  readonly extraBody?: JsonObject | null | undefined;
  readonly displayName?: string | null | undefined;
  readonly apiType?: ApiType | null | undefined;
  /** How thinking is switched, in place of what is known. */
  readonly thinkingStyle?: ThinkingSwitch | null | undefined;
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
  readonly extraQuery: Readonly<Record<string, string>>;
  readonly extraBody: JsonObject | undefined;
  readonly apiType: ApiType;
  readonly thinkingSwitch: ThinkingSwitch | null;
}

/** The vendor for a model; nothing set up at all; or what keeps a set-up from working. */
export type ProviderChoice =
  | ChosenProvider
  | {
    readonly state: "unconfigured";
    /** One sentence that names the key, where a server of one's own is chosen but has no address. */
    readonly missing?: string;
  }
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
    const vendor = config.find(provider);
    if (vendor === undefined) {
      const nearest = nearestName(provider, [
        ...VENDORS.map(({ name }) => name),
        ...Object.keys(providers),
      ]);
      const advice = nearest === null ? "" : `; did you mean "${nearest}"?`;
      return problem("agents.defaults.provider", `no provider has the name "${provider}"${advice}`);
    }
    return config.reach(vendor);
  }
  const named = config.find(prefixOf(model));
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
    return [...VENDORS, ...this.#own()].every((vendor) =>
      this.#key(vendor) === "" && !this.hasBaseUrl(vendor)
    );
  }

  /** The known vendor of that name, or a section of the user's own. */
  find(name: string): Vendor | undefined {
    if (name === "") return undefined;
    return findVendor(name) ?? this.#own().find((vendor) => vendor.name === toSnakeCase(name));
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
    const apiKey = this.#key(vendor);
    const section = this.#of(vendor);
    const written = (section.apiBase ?? "").trim();
    const known = vendor.name === "custom" ? recognize(apiKey, written) ?? vendor : vendor;
    const needsNoKey = isKind(vendor, "local") || isKind(vendor, "oauth") ||
      (isKind(vendor, "direct") && vendor.backend !== "azure_openai");
    const baseUrl = written || known.defaultBaseUrl;
    const noAddress = problem(
      keyOf(vendor, "apiBase"),
      "no address is set, such as http://127.0.0.1:8000/v1",
    );
    if (this.isEmpty && (baseUrl === undefined || (apiKey === "" && !needsNoKey))) {
      // Who names an endpoint of their own has begun to set it up: the address is what is missing.
      const isBegun = isKind(vendor, "direct") && baseUrl === undefined;
      return { state: "unconfigured", ...(isBegun && { missing: noAddress.problem }) };
    }
    if (apiKey === "" && !needsNoKey) return problem(keyOf(vendor, "apiKey"), "no key is set");
    if (baseUrl === undefined) return noAddress;
    if (!isHttpUrl(baseUrl)) {
      return problem(keyOf(vendor, "apiBase"), "its value is no http or https URL");
    }
    return {
      state: "chosen",
      vendor: known,
      baseUrl: baseUrl.replace(/\/+$/, ""),
      apiKey,
      extraHeaders: section.extraHeaders ?? {},
      extraQuery: section.extraQuery ?? {},
      extraBody: section.extraBody ?? undefined,
      apiType: section.apiType ?? "auto",
      thinkingSwitch: section.thinkingStyle ?? null,
    };
  }

  /** Sections whose names are no vendor's: endpoints of the user's own. */
  #own(): readonly Vendor[] {
    return Object.entries(this.#sections).flatMap(([name, section]) => {
      if (section === undefined || findVendor(name) !== undefined) return [];
      const displayName = section.displayName ?? name;
      return [newVendor(toSnakeCase(name), displayName, [], { kinds: ["direct"] })];
    });
  }

  #of(vendor: Pick<Vendor, "name">): ProviderSection {
    const key = Object.keys(this.#sections).find((name) => toSnakeCase(name) === vendor.name);
    return (key === undefined ? undefined : this.#sections[key]) ?? {};
  }

  #key(vendor: Vendor): string {
    return (this.#of(vendor).apiKey ?? "").trim();
  }
}

/** Whose endpoint `custom` stands for, told by the address, or without one by the key. */
function recognize(apiKey: string, baseUrl: string): Vendor | undefined {
  const host = URL.parse(baseUrl)?.host;
  return VENDORS.find(({ backend, defaultBaseUrl = "", keyPrefix, kinds }) => {
    if (backend !== "openai_compatible" || kinds.includes("local")) return false;
    return baseUrl === ""
      ? keyPrefix !== undefined && apiKey.startsWith(keyPrefix)
      : URL.parse(defaultBaseUrl)?.host === host;
  });
}

function isHttpUrl(text: string): boolean {
  const url = URL.parse(text);
  return url?.protocol === "http:" || url?.protocol === "https:";
}

function keyOf(vendor: Vendor, key: "apiKey" | "apiBase"): string {
  return `providers.${toCamelCase(vendor.name)}.${key}`;
}

function problem(
  key: string,
  state: string,
): Extract<ProviderChoice, { readonly state: "problem" }> {
  return { state: "problem", key, problem: `Cannot use "${key}": ${state}` };
}
