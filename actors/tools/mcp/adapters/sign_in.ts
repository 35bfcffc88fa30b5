/**
 * Signs in to a server: a page in the browser, which comes back to this machine with a code.
 * @module
 */

import { Loopback } from "../../../../providers/auth/loopback.ts";
import { type Clock, sleep } from "../../../kernel/clock.ts";
import type { NewId } from "../../../kernel/random.ts";
import type { GuardedHttp } from "../../net/guarded_http.ts";
import { McpError } from "../connection.ts";
import type { SignInFile } from "../sign_in_file.ts";
import { httpLink, type HttpServer } from "./http_link.ts";
import { OAuthClient } from "./oauth_client.ts";
import { asMcpError } from "./sdk_errors.ts";
import { Client, UnauthorizedError } from "./sdk.ts";

/** A person needs this long, with a second factor and all. */
const BROWSER_MS = 5 * 60_000;
const ANSWER_MS = 30_000;
const CALLBACK_PATH = "/callback";

/** What a sign-in needs. */
export interface SignInOptions {
  readonly server: HttpServer;
  readonly file: SignInFile;
  readonly http: GuardedHttp;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly oauth: {
    /** "": the server registers a client for us. */
    readonly clientId: string;
    readonly clientSecret: string;
    readonly scope: string;
    /** 0: any that is free. */
    readonly callbackPort: number;
  };
  /** Shows the page that the person has to open. */
  readonly visit: (url: URL) => void;
}

/**
 * Signs in and stores the tokens.
 *
 * @returns "not_needed" for a server that lets everybody in
 * @throws {McpError}
 */
export async function signIn(
  { server, file, http, clock, newId, oauth, visit }: SignInOptions,
): Promise<"signed_in" | "not_needed"> {
  const state = newId();
  const isAnswer = (parameters: URLSearchParams) => parameters.get("state") === state;
  await using loopback = listen({ port: oauth.callbackPort, path: CALLBACK_PATH, isAnswer });
  const { clientId, clientSecret, scope } = oauth;
  const client = clientId === "" ? null : {
    client_id: clientId,
    ...(clientSecret !== "" && { client_secret: clientSecret }),
  };
  await file.remove(); // a client is registered for one callback, and that is another now
  const redirectUrl = `http://127.0.0.1:${loopback.port}${CALLBACK_PATH}`;
  const auth = new OAuthClient(file, server.url, { redirectUrl, state, scope, client, visit });
  const { transport } = httpLink({ server, http, clock, answerMs: ANSWER_MS, auth });
  const greeter = new Client({ name: "troupe", version: "1" }, { capabilities: {} });
  try {
    await greeter.connect(transport);
    return "not_needed";
  } catch (error) {
    if (!(error instanceof UnauthorizedError)) throw asMcpError(error, "");
    await transport.finishAuth(await codeFrom(loopback, clock)).catch((error) => {
      throw asMcpError(error, "");
    });
    return "signed_in";
  } finally {
    await greeter.close();
    await transport.close();
  }
}

function listen(options: ConstructorParameters<typeof Loopback>[0]): Loopback {
  try {
    return new Loopback(options);
  } catch (error) {
    if (!(error instanceof Deno.errors.AddrInUse)) throw error;
    const text = `Cannot sign in: port ${options.port} of this machine is taken`;
    throw new McpError("mcp_sign_in", text, { cause: error });
  }
}

async function codeFrom(loopback: Loopback, clock: Clock): Promise<string> {
  const over = new AbortController();
  const patience = sleep(clock, BROWSER_MS, over.signal).catch(() => {});
  const answer = await Promise.race([loopback.answer, patience]);
  over.abort();
  if (!(answer instanceof URLSearchParams)) {
    throw new McpError("mcp_sign_in", "Cannot sign in: the browser did not come back");
  }
  const code = answer.get("code");
  if (code !== null) return code;
  const why = answer.get("error_description") ?? answer.get("error") ?? "no code came";
  throw new McpError("mcp_sign_in", `Cannot sign in: ${why}`);
}
