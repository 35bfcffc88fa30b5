/**
 * Creates an app by scanning a code with the platform's client: the platform's device flow.
 * @module
 */

import { z } from "zod";
import { type Clock, sleep } from "../../../actors/kernel/clock.ts";
import { SetupError } from "../../setup.ts";
import type { PostForm } from "../adapters/form.ts";

const PATH = "/oauth/v1/app/registration";
const INTERVAL_S = 5;
const LIFETIME_S = 600;
/** The platform asks for that much more patience. */
const SLOWER_MS = 5_000;
/** Answers that make no sense, or none, in a row. */
const FAULTS_MAX = 5;

const beginSchema = z.object({
  device_code: z.string().min(1),
  verification_uri_complete: z.string().min(1),
  interval: z.number().positive().catch(INTERVAL_S),
  expires_in: z.number().positive().catch(LIFETIME_S),
});

const pollSchema = z.object({
  client_id: z.string().catch(""),
  client_secret: z.string().catch(""),
  error: z.string().catch(""),
  user_info: z.object({
    open_id: z.string().catch(""),
    tenant_brand: z.string().catch(""),
  }).catch({ open_id: "", tenant_brand: "" }),
});

/** An app that was created, and who did it. */
export interface RegisteredApp {
  readonly appId: string;
  readonly appSecret: string;
  /** `feishu`, `lark`, or the base URL that it began with. */
  readonly domain: string;
  /** The person, by their id in this app; "" when the platform does not tell. */
  readonly openId: string;
}

/** What registering needs. */
export interface RegistrationOptions {
  /** `feishu`, `lark` or a base URL. */
  readonly domain: string;
  readonly postForm: PostForm;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Shows the person where to go on. */
  readonly onLink: (url: string, lifetimeS: number) => void;
}

/**
 * Runs the flow until the person has confirmed.
 *
 * @throws {SetupError} when they refuse, take too long, or the platform does not answer
 */
export async function registerApp(options: RegistrationOptions): Promise<RegisteredApp> {
  const { clock, postForm, signal, onLink } = options;
  let { domain } = options;
  await postForm(addressOf(domain), { action: "init" }, signal);
  const begun = beginSchema.safeParse(
    await postForm(addressOf(domain), {
      action: "begin",
      archetype: "PersonalAgent",
      auth_method: "client_secret",
      request_user_info: "open_id",
    }, signal),
  ).data;
  if (begun === undefined) {
    throw new SetupError(
      "setup_refused",
      "Cannot create an app by scanning: the platform does not offer it here; " +
        "create it on the console instead",
    );
  }
  onLink(begun.verification_uri_complete, begun.expires_in);
  const endMs = clock.now() + begun.expires_in * 1_000;
  let waitMs = begun.interval * 1_000;
  for (let faults = 0; clock.now() < endMs && faults < FAULTS_MAX;) {
    await sleep(clock, waitMs, signal);
    const form = { action: "poll", device_code: begun.device_code };
    const polled = pollSchema.safeParse(await postForm(addressOf(domain), form, signal)).data;
    const isLark = polled?.user_info.tenant_brand === "lark" && domain === "feishu";
    if (polled !== undefined && polled.client_id !== "" && polled.client_secret !== "") {
      return {
        appId: polled.client_id,
        appSecret: polled.client_secret,
        domain: isLark ? "lark" : domain,
        openId: polled.user_info.open_id,
      };
    }
    if (isLark) domain = "lark";
    else if (polled?.error === "slow_down") waitMs += SLOWER_MS;
    else if (polled?.error !== "authorization_pending") {
      throwIfOver(polled?.error ?? "");
      faults++;
      continue;
    }
    faults = 0;
  }
  throw new SetupError("setup_refused", "Cannot create an app by scanning: the time is over");
}

function throwIfOver(error: string): void {
  switch (error) {
    case "access_denied":
      throw new SetupError("setup_refused", "Cannot create an app by scanning: it was refused");
    case "expired_token":
      throw new SetupError("setup_refused", "Cannot create an app by scanning: the time is over");
  }
}

/** Accounts have hosts of their own; a simulated platform has one host for everything. */
function addressOf(domain: string): string {
  switch (domain) {
    case "feishu":
      return `https://accounts.feishu.cn${PATH}`;
    case "lark":
      return `https://accounts.larksuite.com${PATH}`;
    default:
      return `${domain.replace(/\/+$/, "")}${PATH}`;
  }
}
