/**
 * `provider login` and `provider logout`: plans that are used with a sign-in in place of a key.
 * @module
 */

import { dirname, join } from "node:path";
import { systemConfigSource } from "../../../actors/config/adapters/system_source.ts";
import { locateConfig } from "../../../actors/config/locations.ts";
import { bypassProxyForLoopback } from "../../../actors/gateway/adapters/environment.ts";
import { configureLogging } from "../../../actors/gateway/adapters/logging.ts";
import { systemWorld } from "../../../actors/gateway/adapters/system_world.ts";
import { type CodexSignInOptions, signInToCodex } from "../../../providers/auth/codex_sign_in.ts";
import {
  type CopilotSignInOptions,
  signInToCopilot,
} from "../../../providers/auth/copilot_sign_in.ts";
import {
  type SignedIn,
  type SignInName,
  type SignInPorts,
  type SignInProgress,
  signInStatus,
  signOut,
} from "../../../providers/auth/sign_in.ts";
import { toCamelCase, toSnakeCase } from "../../../providers/vendors.ts";
import { ask, canAsk } from "../adapters/prompt.ts";
import type { Terminal } from "../adapters/terminal.ts";
import { didYouMean } from "../help/did_you_mean.ts";

/** Flags of both commands. */
export interface ProviderLoginFlags {
  readonly config?: string | undefined;
}

/** Other servers than the vendors' own. */
export interface SignInServers {
  readonly codex?: Pick<CodexSignInOptions, "issuer" | "port">;
  readonly copilot?: Pick<CopilotSignInOptions, "hosts">;
}

const NAMES: readonly SignInName[] = ["openai_codex", "github_copilot"];

/** The providers that take a sign-in, as people write them. */
export const SIGN_IN_PROVIDERS: readonly string[] = NAMES.map((name) => name.replaceAll("_", "-"));

/**
 * Signs in; 0 when tokens are stored.
 *
 * @throws {SignInError}
 */
export async function providerLoginCommand(
  name: string,
  flags: ProviderLoginFlags,
  terminal: Terminal,
  servers: SignInServers = {},
): Promise<number> {
  const provider = signInNamed(name, terminal);
  if (provider === undefined) return 1;
  prepare();
  const { clock, newId } = systemWorld();
  const tell = (progress: SignInProgress) => terminal.write(progressText(progress));
  const { signal } = new AbortController();
  const ports: SignInPorts = { clock, newId, tell, signal, stateFolder: stateFolderOf(flags) };
  const { account } = provider === "openai_codex"
    ? await codexSignIn(ports, servers)
    : await signInToCopilot({ ...ports, ...servers.copilot });
  const who = account === null ? "" : ` as ${account}`;
  const key = toCamelCase(provider);
  terminal.write(
    `Signed in${who}. To use it, set agents.defaults.provider to "${key}" and a model of it.\n`,
  );
  return 0;
}

/** Forgets the tokens; 0 also when there were none. */
export async function providerLogoutCommand(
  name: string,
  flags: ProviderLoginFlags,
  terminal: Terminal,
): Promise<number> {
  const provider = signInNamed(name, terminal);
  if (provider === undefined) return 1;
  const ports = { stateFolder: stateFolderOf(flags), newId: systemWorld().newId };
  const { state } = await signInStatus(provider, ports);
  await signOut(provider, ports);
  terminal.write(state === "signed_in" ? "Signed out.\n" : "Nobody was signed in.\n");
  return 0;
}

async function codexSignIn(ports: SignInPorts, { codex }: SignInServers): Promise<SignedIn> {
  return await signInToCodex({
    ...ports,
    ...codex,
    secretBytes: (count) => crypto.getRandomValues(new Uint8Array(count)),
    ...(canAsk() && { readPasted: (signal) => ask("Address or code: ", { signal }) }),
  });
}

function signInNamed(name: string, terminal: Terminal): SignInName | undefined {
  const wanted = toSnakeCase(name);
  const found = NAMES.find((known) => known === wanted);
  if (found === undefined) {
    const advice = didYouMean(name, SIGN_IN_PROVIDERS);
    terminal.writeError(`Error: Cannot sign in to "${name}": ${advice}\n`);
  }
  return found;
}

function progressText(progress: SignInProgress): string {
  if (progress.type === "paste") {
    return "The browser did not come back. Paste the address that it shows, or the code in it.\n";
  }
  const code = progress.code === null ? "" : ` and enter the code ${progress.code}`;
  return `Open this page in a browser${code}:\n${progress.url}\n`;
}

function stateFolderOf({ config }: ProviderLoginFlags): string {
  return join(dirname(locateConfig(systemConfigSource(), config).configFile), "state");
}

function prepare(): void {
  configureLogging({ write: () => {}, isVerbose: false, hasColors: false, secrets: () => [] });
  bypassProxyForLoopback();
}
