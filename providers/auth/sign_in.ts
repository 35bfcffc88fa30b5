/**
 * What all sign-ins share: how they tell people what to do, and what stands afterwards.
 * @module
 */

import type { Clock } from "../../actors/kernel/clock.ts";
import type { NewId } from "../../actors/kernel/random.ts";
import { codexTokenFile } from "./codex_tokens.ts";
import { copilotTokenFile } from "./copilot_tokens.ts";

/** What a person has to do or to know while a sign-in goes on. */
export type SignInProgress =
  /** Open `url` in a browser, and enter `code` there if there is one. */
  | { readonly type: "visit"; readonly url: string; readonly code: string | null }
  /** The browser did not come back in time: what it shows can be pasted. */
  | { readonly type: "paste" };

/** What a sign-in needs from the world around it. */
export interface SignInPorts {
  readonly clock: Clock;
  readonly newId: NewId;
  /** Tells the person; never a token. */
  readonly tell: (progress: SignInProgress) => void;
  readonly signal: AbortSignal;
  /** Holds the tokens. */
  readonly stateFolder: string;
}

/** Who has signed in; null where the server does not say. */
export interface SignedIn {
  readonly account: string | null;
}

/** The providers that are signed in to. */
export type SignInName = "openai_codex" | "github_copilot";

/** Whether there is a sign-in that can be used or renewed; it is not tried. */
export async function signInStatus(
  name: SignInName,
  { stateFolder, newId }: Pick<SignInPorts, "stateFolder" | "newId">,
): Promise<({ readonly state: "signed_in" } & SignedIn) | { readonly state: "signed_out" }> {
  if (name === "github_copilot") {
    const tokens = await copilotTokenFile(stateFolder, newId).read();
    return tokens === null
      ? { state: "signed_out" }
      : { state: "signed_in", account: tokens.login ?? null };
  }
  const tokens = await codexTokenFile(stateFolder, newId).read();
  return tokens === null
    ? { state: "signed_out" }
    : { state: "signed_in", account: tokens.account_id ?? null };
}

/** Forgets the tokens of a sign-in. */
export async function signOut(
  name: SignInName,
  { stateFolder, newId }: Pick<SignInPorts, "stateFolder" | "newId">,
): Promise<void> {
  const file = name === "github_copilot"
    ? copilotTokenFile(stateFolder, newId)
    : codexTokenFile(stateFolder, newId);
  await file.remove();
}
