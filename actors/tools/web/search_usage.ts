/**
 * What is left of a search service's allowance. Only Tavily tells
 * (https://docs.tavily.com/documentation/api-reference/endpoint/usage).
 * @module
 */

import { z } from "zod";
import { asError } from "../../kernel/errors.ts";
import type { ToolNet } from "../tool.ts";
import type { SearchProvider } from "./search_backend.ts";

const ADDRESS = "https://api.tavily.com/usage";
const TIMEOUT_MS = 8_000;
const BYTES_MAX = 64 * 1_024;
const PROBLEM_CHARS_MAX = 80;

const count = z.number().nullish().transform((value) => value ?? 0);
const answer = z.object({
  account: z.object({
    plan_usage: count,
    plan_limit: z.number().nullish(),
    search_usage: count,
    extract_usage: count,
    crawl_usage: count,
  }),
});

/** A line for people; never throws for what the service does. */
export async function searchUsage(
  { provider, apiKey }: { readonly provider: SearchProvider; readonly apiKey: string },
  net: ToolNet,
  signal: AbortSignal,
): Promise<string> {
  if (provider !== "tavily") return `${provider}: usage not available`;
  if (apiKey === "") return "tavily: not configured";
  try {
    const { status, body } = await net.request({
      url: ADDRESS,
      headers: { accept: "application/json", authorization: `Bearer ${apiKey}` },
      bytesMax: BYTES_MAX,
      timeoutMs: TIMEOUT_MS,
    }, signal);
    if (status !== 200) return `tavily: HTTP ${status}`;
    return `tavily: ${usageOf(answer.parse(JSON.parse(new TextDecoder().decode(body))))}`;
  } catch (error) {
    if (error instanceof z.ZodError || error instanceof SyntaxError) {
      return "tavily: its answer is not what it documents";
    }
    return `tavily: ${asError(error).message.slice(0, PROBLEM_CHARS_MAX)}`;
  }
}

function usageOf({ account }: z.infer<typeof answer>): string {
  const { plan_usage: used, plan_limit: limit } = account;
  const whole = limit === null || limit === undefined
    ? `${used} used`
    : `${used}/${limit} used, ${Math.max(limit - used, 0)} left`;
  const parts = [
    `search ${account.search_usage}`,
    `extract ${account.extract_usage}`,
    `crawl ${account.crawl_usage}`,
  ];
  return `${whole} (${parts.join(", ")})`;
}
