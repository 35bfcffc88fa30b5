/**
 * The client that servers with a sign-in see. In a gateway it uses and renews the tokens of an
 * earlier sign-in; only the command `mcp login` makes one.
 * @module
 */

import { McpError } from "../connection.ts";
import type { SignInFile, StoredSignIn } from "../sign_in_file.ts";
import {
  OAuthClientInformationFullSchema,
  type OAuthClientInformationMixed,
  OAuthClientInformationSchema,
  type OAuthClientMetadata,
  type OAuthClientProvider,
  type OAuthTokens,
  OAuthTokensSchema,
} from "./sdk.ts";

/** A sign-in by a person at a browser. */
export interface SignInPage {
  readonly redirectUrl: string;
  readonly state: string;
  readonly scope: string;
  /** The client that the owner registered; null: the server registers one. */
  readonly client: { readonly client_id: string; readonly client_secret?: string } | null;
  readonly visit: (url: URL) => void;
}

/** Whether there is a sign-in for the server's address, and the owner wrote no header instead. */
export async function isSignedIn(
  file: SignInFile,
  { url, headers }: {
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
  },
): Promise<boolean> {
  if (Object.keys(headers).some((name) => name.toLowerCase() === "authorization")) return false;
  const found = await file.read();
  return found?.url === url && found.tokens !== null;
}

/**
 * One server's sign-in, read from its file at each use: another process may have renewed it. Where
 * nobody can sign in, it changes only while its user holds the lock of the file.
 */
export class OAuthClient implements OAuthClientProvider {
  readonly #file: SignInFile;
  readonly #url: string;
  readonly #page: SignInPage | null;
  #verifier = "";

  /** `page` is null where nobody can sign in. */
  constructor(file: SignInFile, url: string, page: SignInPage | null) {
    this.#file = file;
    this.#url = url;
    this.#page = page;
  }

  get redirectUrl(): string {
    return this.#page?.redirectUrl ?? "http://127.0.0.1/callback";
  }

  get clientMetadata(): OAuthClientMetadata {
    const scope = this.#page?.scope ?? "";
    return {
      client_name: "Troupe",
      redirect_uris: [this.redirectUrl],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: this.#page?.client?.client_secret === undefined
        ? "none"
        : "client_secret_basic",
      ...(scope !== "" && { scope }),
    };
  }

  state(): string {
    return this.#page?.state ?? "";
  }

  async clientInformation(): Promise<OAuthClientInformationMixed | undefined> {
    const { client } = await this.#read();
    return OAuthClientInformationFullSchema.safeParse(client).data ??
      OAuthClientInformationSchema.safeParse(client).data ?? this.#page?.client ?? undefined;
  }

  async saveClientInformation(
    client: OAuthClientInformationMixed,
  ): Promise<void> {
    if (this.#page === null) throw needsSignIn();
    await this.#change({ client });
  }

  async tokens(): Promise<OAuthTokens | undefined> {
    const { tokens } = await this.#read();
    return OAuthTokensSchema.safeParse(tokens).data;
  }

  async saveTokens(tokens: OAuthTokens): Promise<void> {
    await this.#change({ tokens });
  }

  redirectToAuthorization(url: URL): void {
    if (this.#page === null) throw needsSignIn();
    this.#page.visit(url);
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  codeVerifier(): string {
    return this.#verifier;
  }

  async invalidateCredentials(
    scope: "all" | "client" | "tokens" | "verifier" | "discovery",
  ): Promise<void> {
    if (scope === "verifier") return;
    await this.#change({
      ...((scope === "all" || scope === "client") && { client: null }),
      ...((scope === "all" || scope === "tokens") && { tokens: null }),
      ...((scope === "all" || scope === "discovery") && { discovery: null }),
    });
  }

  async #read(): Promise<StoredSignIn> {
    const stored = await this.#file.read();
    return stored?.url === this.#url
      ? stored
      : { url: this.#url, client: null, tokens: null, discovery: null };
  }

  async #change(change: Partial<StoredSignIn>): Promise<void> {
    const write = async () => await this.#file.write({ ...await this.#read(), ...change });
    await (this.#page === null ? write() : this.#file.locked(write));
  }
}

/** Why a person has to sign in again. */
export function needsSignIn(): McpError {
  return new McpError("mcp_sign_in", "its sign-in has expired");
}
