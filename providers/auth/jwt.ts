/**
 * What a token says about itself. It is read, not believed: only its server can check it.
 * @module
 */

import { z } from "zod";

const claims = z.object({
  /** Epoch seconds. */
  exp: z.number().optional().catch(undefined),
  "https://api.openai.com/auth": z.object({
    chatgpt_account_id: z.string().optional().catch(undefined),
  }).optional().catch(undefined),
});

/** When a token ends (epoch milliseconds) and whose it is, as far as it says so. */
export interface TokenFacts {
  readonly expiresAtMs: number | undefined;
  readonly accountId: string | undefined;
}

/** The facts in a token; none for one that is no JWT. */
export function tokenFacts(token: string): TokenFacts {
  const payload = token.split(".")[1];
  const { data } = claims.safeParse(payload === undefined ? {} : decode(payload));
  return {
    expiresAtMs: data?.exp === undefined ? undefined : data.exp * 1_000,
    accountId: data?.["https://api.openai.com/auth"]?.chatgpt_account_id,
  };
}

function decode(payload: string): unknown {
  try {
    const bytes = Uint8Array.fromBase64(payload, { alphabet: "base64url" });
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return {};
  }
}
