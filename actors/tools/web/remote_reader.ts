/**
 * The remote reader of Jina, which turns a page into Markdown for us; only for owners who want
 * it, and never for an address that says more than where a page is.
 * Its answers: https://r.jina.ai/docs (JSON under `Accept: application/json`).
 * @module
 */

import { z } from "zod";
import type { ToolNet } from "../tool.ts";
import { NetError } from "../net/net_error.ts";

/** How the reader is asked. */
export interface RemoteReader {
  /** "": as anybody, under a lower limit. */
  readonly apiKey: string;
}

/** What it read. */
export interface RemotePage {
  readonly url: string;
  readonly text: string;
}

const READER = "https://r.jina.ai/";
const TIMEOUT_MS = 20_000;
const BYTES_MAX = 5 * 1_048_576;
/** Parameters that open something: keys, signatures, codes of sign-ins and invitations. */
const CREDENTIAL =
  /(^|[_.-])(access|api|app|auth|key|apikey|code|cred|credential|credentials|hmac|invite|jwt|otp|pass|passwd|password|pin|pwd|secret|session|sessionid|sid|sig|sign|signature|ticket|token)([_.-]|$)/i;
/** Long runs of letters and digits without a word in them, as links of invitations have. */
const OPAQUE = /[A-Za-z0-9_-]{32,}/;

const answer = z.object({
  data: z.object({
    title: z.string().nullish(),
    content: z.string(),
    url: z.string().nullish(),
  }),
});

/** Reads a page remotely; null where it must not or cannot, whatever the reason. */
export async function readRemotely(
  page: string,
  { apiKey }: RemoteReader,
  net: ToolNet,
  signal: AbortSignal,
): Promise<RemotePage | null> {
  const url = URL.parse(page);
  if (url === null || carriesCredentials(url) || !await net.isPublic(page, signal)) return null;
  url.hash = "";
  try {
    const response = await net.request({
      url: `${READER}${url.href}`,
      headers: {
        accept: "application/json",
        ...(apiKey !== "" && { authorization: `Bearer ${apiKey}` }),
      },
      bytesMax: BYTES_MAX,
      timeoutMs: TIMEOUT_MS,
    }, signal);
    if (response.status !== 200 || response.isCut) return null;
    return parseAnswer(new TextDecoder().decode(response.body), page);
  } catch (error) {
    if (error instanceof NetError) return null;
    throw error;
  }
}

/** Whether an address holds what nobody else should see. */
export function carriesCredentials(url: URL): boolean {
  if (url.username !== "" || url.password !== "") return true;
  const words = (name: string) => name.replaceAll(/([a-z])([A-Z])/g, "$1_$2");
  return [...url.searchParams].some(([name, value]) =>
    CREDENTIAL.test(words(name)) || OPAQUE.test(value)
  ) || OPAQUE.test(url.pathname.replaceAll(/[a-z]+(-[a-z0-9]+)+/gi, ""));
}

function parseAnswer(text: string, page: string): RemotePage | null {
  const parsed = answer.safeParse(parseJson(text));
  if (!parsed.success || parsed.data.data.content.trim() === "") return null;
  const { title, content, url } = parsed.data.data;
  const heading = title ? `# ${title.trim()}\n\n` : "";
  return { url: URL.canParse(url ?? "") ? url ?? page : page, text: `${heading}${content.trim()}` };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
