/**
 * Routes with which an app is set up: what it may do, what it is told of, and how one is created by
 * scanning a code.
 * @module
 */

import { z } from "zod";
import type { Permissions } from "./permissions.ts";
import { parseOrRefuse, Refusal } from "./refusal.ts";
import { data, type Route, type RouteAnswer } from "./route.ts";
import type { AppIdentity } from "./routes_account.ts";

/** What a person does with the code. */
export type Scanning =
  | { readonly state: "waiting" }
  | { readonly state: "denied" | "expired" }
  | { readonly state: "confirmed"; readonly openId: string; readonly brand: "feishu" | "lark" };

/** The console of one app, as far as it can be asked. */
export class AppConsole {
  /** Without it the app may not list its own permissions. */
  listsScopes = true;
  /** What the next polls are answered with. */
  scanning: Scanning = { state: "waiting" };
  /** Polls that are told to slow down, before anything else. */
  slowDowns = 0;
  readonly subscribedEvents: Set<string> = new Set(["im.message.receive_v1"]);
}

/** What the routes need. */
export interface SetupRoutesOptions {
  readonly app: AppIdentity;
  readonly permissions: Permissions;
  readonly console: AppConsole;
}

const SCOPES: readonly string[] = [
  "im:message",
  "im:message:send_as_bot",
  "im:message:readonly",
  "im:message.p2p_msg:readonly",
  "im:message.group_at_msg:readonly",
  "im:message.group_msg",
  "im:message.reactions:write_only",
  "im:resource",
  "im:chat.members:read",
  "cardkit:card:write",
];

const registrationSchema = z.object({
  action: z.enum(["init", "begin", "poll"]),
  archetype: z.string().optional(),
  auth_method: z.string().optional(),
  device_code: z.string().optional(),
});

const DEVICE_CODE = "device-code-1";

/** All of them. */
export function setupRoutes({ app, permissions, console }: SetupRoutesOptions): Route[] {
  return [
    {
      name: "application.scope.list",
      method: "GET",
      path: "/open-apis/application/v6/scopes",
      handle() {
        if (!console.listsScopes) throw new Refusal(212100, "app not install");
        return data({
          scopes: SCOPES.map((scope_name) => ({
            scope_name,
            scope_type: "tenant",
            grant_status: permissions.missing.has(scope_name) ? 2 : 1,
          })),
        });
      },
    },
    {
      name: "application.get",
      method: "GET",
      path: "/open-apis/application/v6/applications/:app_id",
      scopes: ["application:application:self_manage", "admin:app.info:readonly"],
      handle: () =>
        data({
          app: {
            app_id: app.appId,
            app_name: app.botName,
            event: { subscribed_events: [...console.subscribedEvents] },
          },
        }),
    },
    {
      name: "accounts.registration",
      method: "POST",
      path: "/oauth/v1/app/registration",
      needsToken: false,
      handle({ body }) {
        const { action, archetype, auth_method, device_code } = parseOrRefuse(
          registrationSchema,
          body,
          400,
        );
        if (action === "init") return top({ supported_auth_methods: ["client_secret"] });
        if (action === "begin") {
          if (archetype !== "PersonalAgent" || auth_method !== "client_secret") {
            return refusal("invalid_request");
          }
          return top({
            device_code: DEVICE_CODE,
            user_code: "ABCD-EFGH",
            verification_uri: "https://open.feishu.cn/page/launcher",
            verification_uri_complete: "https://open.feishu.cn/page/launcher?user_code=ABCD-EFGH",
            interval: 5,
            expires_in: 600,
          });
        }
        return device_code === DEVICE_CODE ? poll(app, console) : refusal("invalid_grant");
      },
    },
  ];
}

function poll(app: AppIdentity, console: AppConsole): RouteAnswer {
  if (console.slowDowns > 0) {
    console.slowDowns--;
    return refusal("slow_down");
  }
  const { scanning } = console;
  switch (scanning.state) {
    case "waiting":
      return refusal("authorization_pending");
    case "denied":
      return refusal("access_denied");
    case "expired":
      return refusal("expired_token");
    case "confirmed":
      return top({
        client_id: app.appId,
        client_secret: app.appSecret,
        user_info: { open_id: scanning.openId, tenant_brand: scanning.brand },
      });
  }
}

function top(
  fields: Record<string, string | number | readonly string[] | Record<string, string>>,
): RouteAnswer {
  return { kind: "plain", status: 200, body: fields };
}

/** This service words refusals by a name, not by a number. */
function refusal(error: string): RouteAnswer {
  return { kind: "plain", status: 400, body: { error, error_description: error } };
}
