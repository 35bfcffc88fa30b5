/**
 * Who writes speech down, under a config.
 * @module
 */

import type { ProviderSection } from "../choice.ts";
import { findVendor, toSnakeCase } from "../vendors.ts";

/** A service that writes speech down, and how to reach it. */
export interface TranscriptionService {
  /** As under `providers`, in snake_case. */
  readonly name: string;
  /** Complete address. */
  readonly url: string;
  /** "" where none is set: servers of one's own want none. */
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
  /** `channels.transcriptionProvider`: a vendor, or a section of one's own under `providers`. */
  readonly provider: string;
  /** `channels.transcriptionModel`; null takes the service's usual one. */
  readonly model: string | null;
  /** `providers` of the config. */
  readonly providers: Readonly<Record<string, ProviderSection | undefined>>;
  /** From the environment. */
  readonly fallbacks: TranscriptionFallbacks;
}

const PATH = "/audio/transcriptions";

/** What those who speak OpenAI's protocol call the model, where they have but one. */
const USUAL_MODEL = "whisper-1";

/** The service to use; null when it has no key, or nobody knows where it is. */
export function chooseTranscription(options: TranscriptionOptions): TranscriptionService | null {
  const name = nameOf(options);
  const section = sectionOf(options, name);
  const known = knownService(name, options.fallbacks);
  const apiKey = section?.apiKey || known.apiKey || "";
  const base = section?.apiBase || known.baseUrl;
  // Only an address that somebody wrote down can be that of a server without a key.
  if (base === null || (apiKey === "" && (known.needsKey || !section?.apiBase))) return null;
  return {
    name,
    url: urlOf(base),
    apiKey,
    model: options.model ?? known.model,
    extraHeaders: section?.extraHeaders ?? {},
  };
}

/** Names that nobody goes by mean groq. */
function nameOf(options: TranscriptionOptions): string {
  const written = options.provider.trim();
  if (["openai", "groq"].includes(written.toLowerCase())) return written.toLowerCase();
  const name = toSnakeCase(written);
  const isKnown = findVendor(name) !== undefined || sectionOf(options, name) !== undefined;
  return isKnown ? name : "groq";
}

function sectionOf(
  { providers }: TranscriptionOptions,
  name: string,
): ProviderSection | undefined {
  const key = Object.keys(providers).find((candidate) => toSnakeCase(candidate) === name);
  return key === undefined ? undefined : providers[key];
}

/** What is known of a service without the config. */
interface KnownService {
  readonly apiKey: string | null;
  readonly baseUrl: string | null;
  readonly model: string;
  readonly needsKey: boolean;
}

function knownService(name: string, fallbacks: TranscriptionFallbacks): KnownService {
  switch (name) {
    case "openai":
      return {
        apiKey: fallbacks.openaiApiKey,
        baseUrl: fallbacks.openaiBaseUrl ?? "https://api.openai.com/v1",
        model: USUAL_MODEL,
        needsKey: true,
      };
    case "groq":
      return {
        apiKey: fallbacks.groqApiKey,
        baseUrl: fallbacks.groqBaseUrl ?? "https://api.groq.com/openai/v1",
        model: "whisper-large-v3",
        needsKey: true,
      };
    default:
      return {
        apiKey: null,
        baseUrl: findVendor(name)?.defaultBaseUrl ?? null,
        model: USUAL_MODEL,
        needsKey: false,
      };
  }
}

/** People give the base that chat uses as well as the complete address. */
function urlOf(base: string): string {
  const url = new URL(base);
  const path = url.pathname.replace(/\/+$/, "");
  url.pathname = path.endsWith(PATH) ? path : `${path}${PATH}`;
  return url.href;
}
