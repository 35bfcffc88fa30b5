/**
 * Looks at an app from outside: who its bot is, what it may do, what it is told of.
 * @module
 */

import { z } from "zod";
import type { SetupCheck } from "../../setup.ts";
import { parseAnswer } from "../api.ts";
import { FeishuRefusedError, FeishuUnreachableError, NO_PERMISSION_CODE } from "../errors.ts";
import type { FeishuLink, FeishuRequest } from "../link.ts";
import { answerSchema } from "../wire.ts";
import { consoleUrl } from "./console.ts";
import type { NeededPermission } from "./permissions.ts";

/** What checks go by. */
export interface ChecksOptions {
  readonly link: FeishuLink;
  readonly appId: string;
  readonly baseUrl: string;
  readonly signal: AbortSignal;
}

const GRANTED = 1;
const MESSAGE_EVENT = "im.message.receive_v1";
/** Name of the check for the subscription to messages. */
export const MESSAGE_EVENT_CHECK: string = `event ${MESSAGE_EVENT}`;
/** What reading an app's own settings needs; few apps have it. */
const SELF_SCOPE = "application:application:self_manage";

const scopesSchema = z.object({
  scopes: z.array(z.object({
    scope_name: z.string(),
    grant_status: z.number(),
    scope_type: z.string().default("tenant"),
  })),
});

const appSchema = z.object({
  app: z.object({
    event: z.object({ subscribed_events: z.array(z.string()) }),
  }),
});

/** One check for each permission; asks the list that the platform keeps, else tries them out. */
export async function checkPermissions(
  needed: readonly NeededPermission[],
  options: ChecksOptions,
): Promise<readonly SetupCheck[]> {
  const granted = await grantedScopes(options);
  return await Promise.all(needed.map(async (permission) => {
    const { scope, instead, probe } = permission;
    const state = granted !== null
      ? ([scope, ...instead].some((name) => granted.has(name)) ? "ok" : "missing")
      : probe === null
      ? "unknown"
      : await tryOut(probe, options);
    return permissionCheck(permission, state, options);
  }));
}

/** Whether the app is told of messages, as far as it may see that itself. */
export async function checkEvents(options: ChecksOptions): Promise<SetupCheck> {
  const { appId, baseUrl } = options;
  const check = {
    name: MESSAGE_EVENT_CHECK,
    isNeeded: true,
    remedy: `choose "persistent connection" and add ${MESSAGE_EVENT}, then publish a version`,
    url: consoleUrl(baseUrl, appId, "events"),
  };
  const request: FeishuRequest = {
    method: "GET",
    path: `/open-apis/application/v6/applications/${encodeURIComponent(appId)}`,
    query: { lang: "en_us" },
  };
  const data = await dataOf(request, options);
  const app = appSchema.safeParse(data).data?.app;
  if (app === undefined) {
    const detail = `the app may not look itself (that takes ${SELF_SCOPE})`;
    return { ...check, state: "unknown", detail };
  }
  return app.event.subscribed_events.includes(MESSAGE_EVENT)
    ? { ...check, state: "ok", detail: "subscribed", remedy: null, url: null }
    : { ...check, state: "missing", detail: "not subscribed" };
}

/** Scopes that the app has; null when the platform does not list them. */
async function grantedScopes(options: ChecksOptions): Promise<ReadonlySet<string> | null> {
  const request: FeishuRequest = { method: "GET", path: "/open-apis/application/v6/scopes" };
  const listed = scopesSchema.safeParse(await dataOf(request, options)).data?.scopes;
  if (listed === undefined) return null;
  return new Set(
    listed.filter(({ grant_status, scope_type }) =>
      grant_status === GRANTED && scope_type === "tenant"
    ).map(({ scope_name }) => scope_name),
  );
}

/** Data of an answer; null when the platform does not give it. */
async function dataOf(request: FeishuRequest, { link, signal }: ChecksOptions): Promise<unknown> {
  try {
    const answer = await link.request(request, signal);
    return parseAnswer(answerSchema, answer, request).data;
  } catch (error) {
    if (error instanceof FeishuRefusedError || error instanceof FeishuUnreachableError) return null;
    throw error;
  }
}

/** Any refusal but the one for a missing permission shows that it is there. */
async function tryOut(
  probe: FeishuRequest,
  { link, signal }: ChecksOptions,
): Promise<SetupCheck["state"]> {
  try {
    await link.request(probe, signal);
    return "ok";
  } catch (error) {
    if (error instanceof FeishuUnreachableError) return "unknown";
    if (!(error instanceof FeishuRefusedError)) throw error;
    if (error.platformCode === NO_PERMISSION_CODE) return "missing";
    // A refusal without a code of the platform comes from something in between.
    return error.platformCode === 0 || error.status >= 500 ? "unknown" : "ok";
  }
}

function permissionCheck(
  { scope, purpose, isOptional }: NeededPermission,
  state: SetupCheck["state"],
  { appId, baseUrl }: ChecksOptions,
): SetupCheck {
  const name = `permission ${scope}`;
  const detail = isOptional ? `${purpose} (optional)` : purpose;
  const isNeeded = !isOptional;
  if (state === "ok") return { name, state, isNeeded, detail, remedy: null, url: null };
  const remedy = state === "missing"
    ? "switch it on, then publish a version"
    : "see on the console whether it is on";
  const url = consoleUrl(baseUrl, appId, "permissions", [scope]);
  return { name, state, isNeeded, detail, remedy, url };
}
