/**
 * What the web tools are made with, from the configuration: plain data, so that a tool host can
 * be given it.
 * @module
 */

import { z } from "zod";
import type { WebSearchFallbacks } from "../../config/process_settings.ts";
import type { ToolsConfig } from "../../config/schema/tools.ts";

/** Everything that the web tools and their network are made with. Holds keys. */
export interface WebSettings {
  readonly allowedRanges: readonly string[];
  readonly allowedHosts: readonly string[];
  readonly proxy: string | null;
  readonly userAgent: string;
  readonly search: {
    readonly provider: ToolsConfig["web"]["search"]["provider"];
    readonly apiKey: string;
    readonly baseUrl: string;
    readonly resultsDefault: number;
    readonly timeoutMs: number;
  };
  readonly remoteReader: { readonly apiKey: string } | null;
  readonly resultCharsMax: number;
}

/** Reads {@link WebSettings} where they come from another process. */
export const webSettings: z.ZodType<WebSettings> = z.object({
  allowedRanges: z.array(z.string()),
  allowedHosts: z.array(z.string()),
  proxy: z.string().nullable(),
  userAgent: z.string(),
  search: z.object({
    provider: z.enum(["brave", "tavily", "duckduckgo", "searxng", "jina", "kagi"]),
    apiKey: z.string(),
    baseUrl: z.string(),
    resultsDefault: z.number(),
    timeoutMs: z.number(),
  }),
  remoteReader: z.object({ apiKey: z.string() }).nullable(),
  resultCharsMax: z.number(),
});

/** Many servers answer browsers only. */
const USER_AGENT =
  "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/146.0.0.0 Safari/537.36";

/** What the configuration says, with the keys of the environment where it names none. */
export function webSettingsOf(
  { web, ssrfWhitelist, allowedHosts }: Pick<ToolsConfig, "web" | "ssrfWhitelist" | "allowedHosts">,
  fallbacks: WebSearchFallbacks,
  resultCharsMax: number,
): WebSettings {
  const { provider, apiKey, baseUrl, maxResults, timeout } = web.search;
  return {
    allowedRanges: ssrfWhitelist,
    allowedHosts,
    proxy: web.proxy,
    userAgent: web.userAgent || USER_AGENT,
    search: {
      provider,
      apiKey: apiKey.trim() || keyOf(provider, fallbacks),
      baseUrl: baseUrl.trim() || (fallbacks.searxngBaseUrl ?? ""),
      resultsDefault: maxResults,
      timeoutMs: timeout * 1_000,
    },
    remoteReader: web.fetch.useJinaReader ? { apiKey: fallbacks.jinaApiKey ?? "" } : null,
    resultCharsMax,
  };
}

function keyOf(
  provider: WebSettings["search"]["provider"],
  { braveApiKey, tavilyApiKey, jinaApiKey, kagiApiKey }: WebSearchFallbacks,
): string {
  switch (provider) {
    case "brave":
      return braveApiKey ?? "";
    case "tavily":
      return tavilyApiKey ?? "";
    case "jina":
      return jinaApiKey ?? "";
    case "kagi":
      return kagiApiKey ?? "";
    case "duckduckgo":
    case "searxng":
      return "";
  }
}
