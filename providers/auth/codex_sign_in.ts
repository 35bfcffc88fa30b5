/**
 * Signs in to a ChatGPT plan: a page in the browser, which comes back to a server of ours with a
 * code that only we can change into tokens (PKCE).
 * @module
 */

import { createHash } from "node:crypto";
import { sleep } from "../../actors/kernel/clock.ts";
import {
  CODEX_CLIENT_ID,
  CODEX_ISSUER,
  codexTokenFile,
  requestCodexTokens,
} from "./codex_tokens.ts";
import { SignInError } from "./errors.ts";
import { Loopback } from "./loopback.ts";
import type { SignedIn, SignInPorts } from "./sign_in.ts";

/** The only port that the server sends browsers back to. */
const CALLBACK_PORT = 1_455;
const CALLBACK_PATH = "/auth/callback";
const SCOPE = "openid profile email offline_access";
/** A browser that has not come back after this long may be on another machine. */
const BROWSER_MS = 120_000;

/** What signing in to Codex needs. */
export interface CodexSignInOptions extends SignInPorts {
  /** So many bytes that nobody can guess. */
  readonly secretBytes: (count: number) => Uint8Array;
  /** Reads what the person pastes, the address or the code; without it nobody is asked. */
  readonly readPasted?: (signal: AbortSignal) => Promise<string>;
  /** @default CODEX_ISSUER */
  readonly issuer?: string;
  /** @default 1455, the only one that the real server knows */
  readonly port?: number;
}

/**
 * Signs in and stores the tokens.
 *
 * @throws {SignInError}; the signal's reason
 */
export async function signInToCodex(options: CodexSignInOptions): Promise<SignedIn> {
  const { clock, newId, tell, signal, stateFolder, secretBytes } = options;
  const { issuer = CODEX_ISSUER, port = CALLBACK_PORT } = options;
  const verifier = base64Url(secretBytes(48));
  const state = base64Url(secretBytes(16));
  const isAnswer = (parameters: URLSearchParams) => parameters.get("state") === state;
  await using loopback = listen({ port, path: CALLBACK_PATH, isAnswer });
  const redirectUri = `http://localhost:${loopback.port}${CALLBACK_PATH}`;
  tell({ type: "visit", url: pageUrl(issuer, { verifier, state, redirectUri }), code: null });
  const code = await codeFrom(loopback, state, options);
  const tokens = await requestCodexTokens(issuer, {
    grant_type: "authorization_code",
    code,
    redirect_uri: redirectUri,
    code_verifier: verifier,
  }, { clock, signal });
  await codexTokenFile(stateFolder, newId).write(tokens);
  return { account: tokens.account_id ?? null };
}

function listen(options: ConstructorParameters<typeof Loopback>[0]): Loopback {
  try {
    return new Loopback(options);
  } catch (error) {
    if (!(error instanceof Deno.errors.AddrInUse)) throw error;
    const message = `Cannot sign in: port ${options.port} of this machine is taken`;
    throw new SignInError("sign_in_refused", message, { cause: error });
  }
}

function pageUrl(
  issuer: string,
  asked: {
    readonly verifier: string;
    readonly state: string;
    readonly redirectUri: string;
  },
): string {
  const url = new URL(`${issuer}/oauth/authorize`);
  const parameters = {
    response_type: "code",
    client_id: CODEX_CLIENT_ID,
    redirect_uri: asked.redirectUri,
    scope: SCOPE,
    code_challenge: createHash("sha256").update(asked.verifier).digest("base64url"),
    code_challenge_method: "S256",
    state: asked.state,
    id_token_add_organizations: "true",
    codex_cli_simplified_flow: "true",
    originator: "troupe",
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}

/** The code that the browser brings, or after a while the one that the person pastes. */
async function codeFrom(
  loopback: Loopback,
  state: string,
  { clock, tell, signal, readPasted }: CodexSignInOptions,
): Promise<string> {
  const over = new AbortController();
  const waiting = AbortSignal.any([signal, over.signal]);
  const patience = sleep(clock, BROWSER_MS, waiting);
  const answer = await Promise.race([loopback.answer, patience]).finally(() => over.abort());
  await patience.catch(() => {});
  if (answer instanceof URLSearchParams) return codeIn(answer, state);
  if (readPasted === undefined) {
    throw new SignInError("sign_in_expired", "Cannot sign in: the browser did not come back");
  }
  tell({ type: "paste" });
  const pasted = (await readPasted(signal)).trim();
  const parameters = URL.parse(pasted)?.searchParams;
  return codeIn(parameters ?? new URLSearchParams({ code: pasted, state }), state);
}

function codeIn(parameters: URLSearchParams, state: string): string {
  const code = parameters.get("code") ?? "";
  if (parameters.get("state") !== state) {
    throw new SignInError("sign_in_refused", "Cannot sign in: the answer is for another sign-in");
  }
  if (code !== "") return code;
  const reason = parameters.get("error_description") ?? parameters.get("error") ?? "no code came";
  throw new SignInError("sign_in_refused", `Cannot sign in: ${reason}`);
}

function base64Url(bytes: Uint8Array): string {
  return bytes.toBase64({ alphabet: "base64url", omitPadding: true });
}
