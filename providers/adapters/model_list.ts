/**
 * Asks a provider which models it has. Most vendors tell, in OpenAI's shape.
 * @module
 */

import { z } from "zod";
import type { ChosenProvider } from "../choice.ts";

/** Who takes longer is asked for a name instead. */
const TIMEOUT_MS = 5_000;
/** Routers list some hundred models, with prices and descriptions. */
const BODY_CHARS_MAX = 8_000_000;
/** The version of Anthropic's API, which it wants named. */
const ANTHROPIC_VERSION = "2023-06-01";

/** Names are shown to people: only what is a name. */
const modelName = z.string().regex(/^[\w./:@+-]{1,100}$/);
const modelList = z.object({ data: z.array(z.object({ id: z.unknown() })) });

/** Names of models, as the provider orders them; none when it does not tell. Never fails. */
export async function modelsOf(choice: ChosenProvider): Promise<readonly string[]> {
  const { vendor: { backend, headers = {} }, baseUrl, apiKey, extraHeaders } = choice;
  const isAnthropic = backend === "anthropic";
  const own: Record<string, string> = isAnthropic
    ? { "x-api-key": apiKey, "anthropic-version": ANTHROPIC_VERSION }
    : apiKey === ""
    ? {}
    : { authorization: `Bearer ${apiKey}` };
  try {
    const response = await fetch(`${baseUrl}${isAnthropic ? "/v1" : ""}/models`, {
      headers: { ...headers, ...own, ...extraHeaders },
      redirect: "error",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const body = await response.text();
    if (!response.ok || body.length > BODY_CHARS_MAX) return [];
    return modelList.parse(JSON.parse(body)).data
      .map(({ id }) => modelName.safeParse(id)).flatMap(({ data }) => data ?? []);
  } catch {
    return []; // There are many ways not to tell, and a name can be typed.
  }
}
