/**
 * Tokens of GitHub Copilot: a lasting one of GitHub, which buys short ones of Copilot.
 * @module
 */

import { z } from "zod";
import type { Clock } from "../../actors/kernel/clock.ts";
import type { NewId } from "../../actors/kernel/random.ts";
import { SignInError } from "./errors.ts";
import { requestTokens } from "./http.ts";
import { SharedTokens } from "./shared_tokens.ts";
import { TokenFile } from "./token_file.ts";

/** GitHub's servers; an enterprise has its own. */
export interface GithubHosts {
  /** For people. */
  readonly web: string;
  readonly api: string;
}

/** Those of the public GitHub. */
export const GITHUB_HOSTS: GithubHosts = {
  web: "https://github.com",
  api: "https://api.github.com",
};

/** Copilot talks to editors only. */
export const EDITOR_HEADERS: Readonly<Record<string, string>> = {
  "editor-version": "vscode/1.99.0",
  "editor-plugin-version": "copilot-chat/0.26.0",
  "copilot-integration-id": "vscode-chat",
};

/** How long a token of Copilot is good when its server does not say, in seconds. */
const LIFE_S = 1_500;

/** What is stored. */
export interface CopilotTokens {
  /** GitHub's. */
  readonly access: string;
  readonly login?: string | undefined;
  /** Copilot's, once there is one. */
  readonly copilot?: {
    readonly token: string;
    readonly expiresAtMs: number;
    /** Where its requests go. */
    readonly api?: string | undefined;
  } | undefined;
}

const tokens: z.ZodType<CopilotTokens> = z.object({
  access: z.string().min(1),
  login: z.string().optional().catch(undefined),
  copilot: z.object({
    token: z.string().min(1),
    expiresAtMs: z.number(),
    api: z.string().optional().catch(undefined),
  }).optional().catch(undefined),
});

const exchange = z.object({
  token: z.string().min(1),
  /** Epoch seconds. */
  expires_at: z.number().optional().catch(undefined),
  /** Seconds. */
  refresh_in: z.number().optional().catch(undefined),
  endpoints: z.object({ api: z.url().optional().catch(undefined) }).optional().catch(undefined),
});

/** The file of the sign-in. */
export function copilotTokenFile(stateFolder: string, newId: NewId): TokenFile<CopilotTokens> {
  return new TokenFile(stateFolder, "github_copilot", { schema: tokens, newId });
}

/** The tokens of the sign-in, with a fresh one of Copilot. */
export function copilotTokens(
  stateFolder: string,
  { clock, newId, hosts = GITHUB_HOSTS }: {
    readonly clock: Clock;
    readonly newId: NewId;
    readonly hosts?: GithubHosts;
  },
): SharedTokens<CopilotTokens> {
  return new SharedTokens({
    file: copilotTokenFile(stateFolder, newId),
    clock,
    expiresAtMs: ({ copilot }) => copilot?.expiresAtMs ?? 0,
    renew: (old) => exchangeTokens(old, hosts, clock),
    howTo: "GitHub Copilot is not logged in. Run: provider login github-copilot",
  });
}

async function exchangeTokens(
  old: CopilotTokens,
  hosts: GithubHosts,
  clock: Clock,
): Promise<CopilotTokens> {
  const { status, body } = await requestTokens(`${hosts.api}/copilot_internal/v2/token`, {
    headers: { ...EDITOR_HEADERS, authorization: `token ${old.access}` },
    clock,
  });
  if (status === 401 || status === 403 || status === 404) {
    const state = "GitHub does not take the login, or the account has no Copilot";
    throw new SignInError("sign_in_refused", `Cannot use GitHub Copilot: ${state}`);
  }
  const { data } = exchange.safeParse(body);
  if (data === undefined) {
    const code = status >= 500 || status === 429 ? "sign_in_unreachable" : "sign_in_refused";
    throw new SignInError(code, "GitHub Copilot token exchange returned no token.");
  }
  const life = clock.now() + (data.refresh_in ?? LIFE_S) * 1_000;
  const expiresAtMs = data.expires_at === undefined ? life : data.expires_at * 1_000;
  return {
    ...old,
    copilot: {
      token: data.token,
      expiresAtMs,
      ...(data.endpoints?.api !== undefined && { api: data.endpoints.api.replace(/\/+$/, "") }),
    },
  };
}
