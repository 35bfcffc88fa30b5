/**
 * Who writes speech down, under a config.
 * @module
 */

import type { ProviderSection } from "../choice.ts";
import { toCamelCase, toSnakeCase } from "../vendors.ts";

/** A service that writes speech down, and how to reach it. */
export interface TranscriptionService {
  readonly name: "groq" | "openai";
  /** Complete address. */
  readonly url: string;
  readonly apiKey: string;
  readonly model: string;
  readonly extraHeaders: Readonly<Record<string, string>>;
}

/** Keys and addresses for where the config has none. */
export interface TranscriptionFallbacks {
  readonly openaiApiKey: string | null;
  readonly openaiBaseUrl: string | null;
  readonly groqApiKey: string | null;
  readonly groqBaseUrl: string | null;
}

/** What the choice is made from. */
export interface TranscriptionOptions {
  /** `channels.transcriptionProvider`; anything but `openai` means `groq`. */
  readonly provider: string;
  /** `providers` of the config. */
  readonly providers: Readonly<Record<string, ProviderSection | undefined>>;
  /** From the environment. */
  readonly fallbacks: TranscriptionFallbacks;
}

const PATH = "/audio/transcriptions";

/** The service to use; null when it has no key. */
export function chooseTranscription(options: TranscriptionOptions): TranscriptionService | null {
  const { provider, fallbacks } = options;
  const name = provider.trim().toLowerCase() === "openai" ? "openai" : "groq";
  const section = sectionOf(options, name);
  const known = name === "openai"
    ? {
      apiKey: fallbacks.openaiApiKey,
      baseUrl: fallbacks.openaiBaseUrl ?? "https://api.openai.com/v1",
      model: "whisper-1",
    }
    : {
      apiKey: fallbacks.groqApiKey,
      baseUrl: fallbacks.groqBaseUrl ?? "https://api.groq.com/openai/v1",
      model: "whisper-large-v3",
    };
  const apiKey = section?.apiKey || known.apiKey || "";
  if (apiKey === "") return null;
  return {
    name,
    url: urlOf(section?.apiBase || known.baseUrl),
    apiKey,
    model: known.model,
    extraHeaders: section?.extraHeaders ?? {},
  };
}

/** People give the base that chat uses as well as the complete address. */
function urlOf(base: string): string {
  const url = new URL(base);
  const path = url.pathname.replace(/\/+$/, "");
  url.pathname = path.endsWith(PATH) ? path : `${path}${PATH}`;
  return url.href;
}

function sectionOf(
  { providers }: TranscriptionOptions,
  name: string,
): ProviderSection | undefined {
  return providers[toCamelCase(name)] ?? providers[toSnakeCase(name)];
}
