/**
 * Tokens of a ChatGPT plan: where they are, and how they are renewed.
 * @module
 */

import { join } from "node:path";
import { z } from "zod";
import { userHomeFolder } from "../../actors/kernel/adapters/user_home.ts";
import type { Clock } from "../../actors/kernel/clock.ts";
import type { NewId } from "../../actors/kernel/random.ts";
import { SignInError } from "./errors.ts";
import { refusalIn, requestTokens } from "./http.ts";
import { tokenFacts } from "./jwt.ts";
import { SharedTokens } from "./shared_tokens.ts";
import { readTokens, TokenFile } from "./token_file.ts";

/** Who we are to the server; its plans know no other clients. */
export const CODEX_CLIENT_ID = "app_EMoamEEZ73f0CkXaXp7hrann";

/** Where people sign in. */
export const CODEX_ISSUER = "https://auth.openai.com";

/** What is stored; other programs write the same. */
export interface CodexTokens {
  readonly access: string;
  readonly refresh: string;
  /** Epoch milliseconds. */
  readonly expires: number;
  readonly account_id?: string | undefined;
}

/** What tokens are found and renewed with. */
export interface CodexTokensOptions {
  readonly clock: Clock;
  readonly newId: NewId;
  /** @default CODEX_ISSUER */
  readonly issuer?: string;
  /** Where the sign-ins of other programs are. @default the user's home */
  readonly homeFolder?: string;
}

const tokens: z.ZodType<CodexTokens> = z.object({
  access: z.string().min(1),
  refresh: z.string().min(1),
  expires: z.number(),
  account_id: z.string().optional().catch(undefined),
});

const answer = z.object({
  access_token: z.string().min(1),
  refresh_token: z.string().min(1).optional(),
  /** Seconds. */
  expires_in: z.number().optional(),
});

const codexCli = z.object({
  tokens: z.object({
    access_token: z.string().min(1),
    refresh_token: z.string().min(1),
    account_id: z.string().optional().catch(undefined),
  }),
});

/** The file of the sign-in. */
export function codexTokenFile(stateFolder: string, newId: NewId): TokenFile<CodexTokens> {
  return new TokenFile(stateFolder, "openai_codex", { schema: tokens, newId });
}

/** The tokens of the sign-in, ours or that of a program that shares its own with others. */
export function codexTokens(
  stateFolder: string,
  { clock, newId, issuer = CODEX_ISSUER, homeFolder = userHomeFolder() }: CodexTokensOptions,
): SharedTokens<CodexTokens> {
  return new SharedTokens({
    file: codexTokenFile(stateFolder, newId),
    clock,
    expiresAtMs: ({ expires }) => expires,
    renew: (old) => renew(old, issuer, clock),
    fallback: () => foreignTokens(homeFolder),
    howTo: "OpenAI Codex is not signed in. Run: provider login openai-codex",
  });
}

/**
 * Gets tokens for a grant.
 *
 * @throws {SignInError}
 */
export async function requestCodexTokens(
  issuer: string,
  grant: Readonly<Record<string, string>>,
  { clock, old, signal }: {
    readonly clock: Clock;
    readonly old?: CodexTokens;
    readonly signal?: AbortSignal;
  },
): Promise<CodexTokens> {
  const { status, body } = await requestTokens(`${issuer}/oauth/token`, {
    form: { client_id: CODEX_CLIENT_ID, ...grant },
    clock,
    ...(signal && { signal }),
  });
  const { data } = answer.safeParse(body);
  const refresh = data?.refresh_token ?? old?.refresh;
  if (data === undefined || refresh === undefined) throw refused(status, body);
  const facts = tokenFacts(data.access_token);
  const lifeMs = (data.expires_in ?? 3_600) * 1_000;
  return {
    access: data.access_token,
    refresh,
    expires: facts.expiresAtMs ?? clock.now() + lifeMs,
    account_id: facts.accountId ?? old?.account_id,
  };
}

function refused(status: number, body: unknown): SignInError {
  const { code, text } = refusalIn(body);
  const isTemporary = status >= 500 || status === 429;
  return new SignInError(
    isTemporary ? "sign_in_unreachable" : "sign_in_refused",
    `Cannot get tokens of OpenAI Codex: ${text || code || `status ${status}`}`,
  );
}

async function renew(old: CodexTokens, issuer: string, clock: Clock): Promise<CodexTokens> {
  const grant = { grant_type: "refresh_token", refresh_token: old.refresh };
  return await requestCodexTokens(issuer, grant, { clock, old });
}

/** What nanobot or the Codex CLI has stored. */
async function foreignTokens(homeFolder: string): Promise<CodexTokens | null> {
  const shared = join(homeFolder, ".local/share/oauth-cli-kit/auth/codex.json");
  const kit = await readTokens(shared, tokens);
  if (kit !== null) return kit;
  const cli = await readTokens(join(homeFolder, ".codex/auth.json"), codexCli);
  if (cli === null) return null;
  const { access_token: access, refresh_token: refresh, account_id: account } = cli.tokens;
  const facts = tokenFacts(access);
  // A token that does not say how long it lives is renewed before it is used.
  return {
    access,
    refresh,
    expires: facts.expiresAtMs ?? 0,
    account_id: account ?? facts.accountId,
  };
}
