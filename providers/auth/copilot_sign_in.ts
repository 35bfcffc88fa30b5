/**
 * Signs in to GitHub Copilot: the person enters a code on a page of GitHub, on any machine, while
 * we ask from time to time whether that has happened.
 * @module
 */

import { z } from "zod";
import { sleep } from "../../actors/kernel/clock.ts";
import { copilotTokenFile, GITHUB_HOSTS, type GithubHosts } from "./copilot_tokens.ts";
import { SignInError } from "./errors.ts";
import { refusalIn, requestTokens } from "./http.ts";
import type { SignedIn, SignInPorts } from "./sign_in.ts";

/** Who we are to GitHub; Copilot knows no other clients. */
const CLIENT_ID = "Iv1.b507a08c87ecfe98";
const GRANT_TYPE = "urn:ietf:params:oauth:grant-type:device_code";
/** Added when GitHub finds that we ask too often, in seconds. */
const SLOWER_S = 5;

/** What signing in to Copilot needs. */
export interface CopilotSignInOptions extends SignInPorts {
  /** @default GITHUB_HOSTS */
  readonly hosts?: GithubHosts;
}

const device = z.object({
  device_code: z.string().min(1),
  user_code: z.string().min(1),
  verification_uri: z.url(),
  /** Seconds. */
  expires_in: z.number().positive().catch(900),
  interval: z.number().min(1).catch(5),
});
type Device = z.infer<typeof device>;

const granted = z.object({ access_token: z.string().min(1) });
const user = z.object({ login: z.string() });

/**
 * Signs in and stores the token.
 *
 * @throws {SignInError}; the signal's reason
 */
export async function signInToCopilot(options: CopilotSignInOptions): Promise<SignedIn> {
  const { newId, tell, stateFolder, hosts = GITHUB_HOSTS } = options;
  const asked = await askForDevice(hosts, options);
  tell({ type: "visit", url: asked.verification_uri, code: asked.user_code });
  const access = await waitForGrant(asked, hosts, options);
  const login = await loginOf(access, hosts, options);
  await copilotTokenFile(stateFolder, newId).write({ access, ...(login !== null && { login }) });
  return { account: login };
}

async function askForDevice(hosts: GithubHosts, { clock, signal }: SignInPorts): Promise<Device> {
  const { status, body } = await requestTokens(`${hosts.web}/login/device/code`, {
    form: { client_id: CLIENT_ID, scope: "read:user" },
    clock,
    signal,
  });
  const { data } = device.safeParse(body);
  if (data !== undefined) return data;
  const { code, text } = refusalIn(body);
  throw new SignInError(
    status >= 500 ? "sign_in_unreachable" : "sign_in_refused",
    `Cannot sign in to GitHub: ${text || code || `status ${status}`}`,
  );
}

async function waitForGrant(
  asked: Device,
  hosts: GithubHosts,
  { clock, signal }: SignInPorts,
): Promise<string> {
  const endMs = clock.now() + asked.expires_in * 1_000;
  let intervalS = asked.interval;
  while (clock.now() + intervalS * 1_000 < endMs) {
    await sleep(clock, intervalS * 1_000, signal);
    const body = await poll(`${hosts.web}/login/oauth/access_token`, asked, { clock, signal });
    const { data } = granted.safeParse(body);
    if (data !== undefined) return data.access_token;
    if (slowsDown(body)) intervalS += SLOWER_S;
  }
  throw new SignInError("sign_in_expired", "GitHub device flow timed out.");
}

/** What GitHub says now; nothing while it cannot be reached, which may pass. */
async function poll(
  url: string,
  { device_code }: Device,
  { clock, signal }: Pick<SignInPorts, "clock" | "signal">,
): Promise<unknown> {
  const form = { client_id: CLIENT_ID, device_code, grant_type: GRANT_TYPE };
  try {
    return (await requestTokens(url, { form, clock, signal })).body;
  } catch (error) {
    if (error instanceof SignInError) return null;
    throw error;
  }
}

/**
 * Whether GitHub wants to be asked less often.
 *
 * @throws {SignInError} when there is no sense in asking again
 */
function slowsDown(body: unknown): boolean {
  const { code, text } = refusalIn(body);
  switch (code) {
    case "authorization_pending":
    case "":
      return false;
    case "slow_down":
      return true;
    case "expired_token":
      throw new SignInError(
        "sign_in_expired",
        "GitHub device code expired. Please run login again.",
      );
    case "access_denied":
      throw new SignInError("sign_in_refused", "GitHub device flow was denied.");
    default:
      throw new SignInError("sign_in_refused", `Cannot sign in to GitHub: ${text || code}`);
  }
}

/** For people only: a sign-in without a name works as well. */
async function loginOf(
  access: string,
  hosts: GithubHosts,
  { clock, signal }: SignInPorts,
): Promise<string | null> {
  try {
    const headers = { authorization: `token ${access}` };
    const { body } = await requestTokens(`${hosts.api}/user`, { headers, clock, signal });
    return user.safeParse(body).data?.login ?? null;
  } catch (error) {
    if (error instanceof SignInError) return null;
    throw error;
  }
}
