/**
 * Requests that carry the tokens of an earlier sign-in. Tokens that a server takes no more are
 * renewed once, whichever of the calls and processes that share them comes first.
 * @module
 */

import { untilAborted } from "../../../kernel/aborting.ts";
import { asError } from "../../../kernel/errors.ts";
import type { FetchLike } from "../../net/guarded_fetch.ts";
import { McpError } from "../connection.ts";
import type { SignInFile } from "../sign_in_file.ts";
import { needsSignIn, OAuthClient } from "./oauth_client.ts";
import { asMcpError } from "./sdk_errors.ts";
import { auth, extractWWWAuthenticateParams } from "./sdk.ts";

const UNAUTHORIZED = 401;
const SERVER_ERROR = 500;

/** Whose tokens are carried, and how they are renewed. */
export interface SignedInOptions {
  readonly file: SignInFile;
  /** Of the server: nobody else gets its tokens. */
  readonly url: string;
  /** Asks those who renew, within a time in which others may well wait for the outcome. */
  readonly renewWith: FetchLike;
}

/**
 * A `fetch` with the tokens.
 *
 * @throws {McpError} `mcp_sign_in` where a person has to sign in again, `mcp_unsent` where nobody
 * could be asked for new tokens
 */
export function signedInFetch(fetch: FetchLike, options: SignedInOptions): FetchLike {
  const { origin } = new URL(options.url);
  const client = new OAuthClient(options.file, options.url, null);
  return async (url, init = {}) => {
    if (new URL(url).origin !== origin) return await fetch(url, init);
    const token = await tokenOf(client);
    const response = await fetch(url, bearing(init, token));
    if (response.status !== UNAUTHORIZED || token === undefined) return response;
    const hints = extractWWWAuthenticateParams(response);
    await response.body?.cancel();
    const renewing = renewed(client, { ...options, ...hints, refused: token });
    const renewedToken = await (init.signal ? untilAborted(renewing, init.signal) : renewing);
    return await fetch(url, bearing(init, renewedToken));
  };
}

interface Renewal extends SignedInOptions {
  /** The token that the server did not take. */
  readonly refused: string;
  readonly resourceMetadataUrl?: URL | undefined;
  readonly scope?: string | undefined;
}

/** A new token. Nobody else renews meanwhile: most servers take what renews a token only once. */
async function renewed(
  client: OAuthClient,
  { file, url, renewWith, refused, resourceMetadataUrl, scope }: Renewal,
): Promise<string> {
  return await file.locked(async () => {
    const stored = await tokenOf(client);
    if (stored === undefined) throw needsSignIn();
    if (stored !== refused) return stored; // somebody else was first
    let failure: Error | undefined;
    const fetchFn: FetchLike = async (url, init) => {
      try {
        const response = await renewWith(url, init);
        if (response.status >= SERVER_ERROR) failure = new Error(`status ${response.status}`);
        return response;
      } catch (error) {
        failure = asError(error);
        throw error;
      }
    };
    try {
      await auth(client, {
        ...{ serverUrl: url, fetchFn },
        ...(resourceMetadataUrl !== undefined && { resourceMetadataUrl }),
        ...(scope !== undefined && { scope }),
      });
    } catch (error) {
      // The library asks for a person also where it only could not reach anybody.
      const mayStillRenew = (await client.tokens())?.refresh_token !== undefined;
      if (failure === undefined || !mayStillRenew) throw asMcpError(error, "");
      const text = `its sign-in cannot be renewed just now: ${failure.message}`;
      throw new McpError("mcp_unsent", text, { cause: error });
    }
    return await tokenOf(client) ?? refused;
  });
}

async function tokenOf(client: OAuthClient): Promise<string | undefined> {
  return (await client.tokens())?.access_token;
}

function bearing(init: RequestInit, token: string | undefined): RequestInit {
  if (token === undefined) return init;
  const headers = new Headers(init.headers);
  headers.set("authorization", `Bearer ${token}`);
  return { ...init, headers };
}
