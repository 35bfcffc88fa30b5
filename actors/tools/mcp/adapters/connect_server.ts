/**
 * Connects to one server as the configuration describes it. Loads the protocol's library.
 * @module
 */

import type { Clock } from "../../../kernel/clock.ts";
import type { GuardedHttp } from "../../net/guarded_http.ts";
import type { Lifeline } from "../../shell/adapters/lifeline.ts";
import type { McpConnection, McpListener } from "../connection.ts";
import type { SignInFile } from "../sign_in_file.ts";
import { httpLink, type HttpServer } from "./http_link.ts";
import { isSignedIn } from "./oauth_client.ts";
import { sdkConnection, type TransportLink } from "./sdk_connection.ts";
import type { StdioCommand } from "./stdio_command.ts";
import { StdioTransport } from "./stdio_transport.ts";

/** Where a server is. */
export type ServerPlace =
  | { readonly type: "stdio"; readonly command: StdioCommand }
  | { readonly type: "http"; readonly server: HttpServer; readonly signIn: SignInFile };

/** What connections are made with. */
export interface ConnectOptions {
  readonly place: ServerPlace;
  readonly version: string;
  readonly clock: Clock;
  readonly http: GuardedHttp;
  readonly lifeline: Lifeline | undefined;
  /** Longest wait for the head of an answer over HTTP. */
  readonly answerMs: number;
}

/** @throws {McpError} or the signal's reason */
export async function connectServer(
  options: ConnectOptions,
  listener: McpListener,
  signal: AbortSignal,
): Promise<McpConnection> {
  const link = await linkTo(options);
  return await sdkConnection({ link, version: options.version, listener, signal });
}

async function linkTo(
  { place, clock, http, lifeline, answerMs }: ConnectOptions,
): Promise<TransportLink> {
  if (place.type === "http") {
    const { server, signIn } = place;
    const signedIn = await isSignedIn(signIn, server) ? signIn : undefined;
    return httpLink({ server, http, clock, answerMs, signedIn });
  }
  const transport = new StdioTransport({ command: place.command, clock, lifeline });
  return { transport, reason: () => transport.reason, isEnd: () => false };
}
