/**
 * Routes about the app itself: token, bot, address of the long connection.
 * @module
 */

import { z } from "zod";
import { parseOrRefuse, Refusal } from "./refusal.ts";
import type { Route } from "./route.ts";
import type { Clock } from "../../../actors/kernel/clock.ts";

/** The app as its owner set it up. */
export interface AppIdentity {
  readonly appId: string;
  readonly appSecret: string;
  readonly botOpenId: string;
  readonly botName: string;
}

const TOKEN_LIFE_MS = 2 * 3_600_000;
const TOKEN_RENEWAL_MS = 30 * 60_000;

interface IssuedToken {
  readonly token: string;
  readonly expiresAtMs: number;
}

/** Access tokens: one at a time, renewed in its last half hour, the old one valid to its end. */
export class Tokens {
  readonly #clock: Clock;
  readonly #newToken: () => string;
  #issued: IssuedToken[] = [];

  constructor(clock: Clock, newToken: () => string) {
    this.#clock = clock;
    this.#newToken = newToken;
  }

  /** The current token and its remaining life. */
  issue(): { readonly token: string; readonly expiresInS: number } {
    const nowMs = this.#clock.now();
    let current = this.#issued.at(-1);
    if (current === undefined || current.expiresAtMs - nowMs < TOKEN_RENEWAL_MS) {
      current = { token: this.#newToken(), expiresAtMs: nowMs + TOKEN_LIFE_MS };
      this.#issued.push(current);
    }
    return {
      token: current.token,
      expiresInS: Math.floor((current.expiresAtMs - nowMs) / 1_000),
    };
  }

  /** Makes every token issued so far invalid before its time. */
  revoke(): void {
    this.#issued = [];
  }

  /** @throws {Refusal} 99991661 without a token, 99991663 with one that does not count */
  check(authorization: string | null): void {
    if (authorization === null) {
      throw new Refusal(99991661, "Missing access token for authorization");
    }
    const nowMs = this.#clock.now();
    const isValid = this.#issued.some(({ token, expiresAtMs }) =>
      authorization === `Bearer ${token}` && nowMs < expiresAtMs
    );
    if (!isValid) throw new Refusal(99991663, "Invalid access token for authorization");
  }
}

const tokenBodySchema = z.object({ app_id: z.string(), app_secret: z.string() });
const endpointBodySchema = z.object({ AppID: z.string(), AppSecret: z.string() });

/** What the account routes need. */
export interface AccountRoutesOptions {
  readonly app: AppIdentity;
  readonly tokens: Tokens;
  /** A fresh address for one long connection, with its settings. */
  readonly openDoor: () => { readonly url: string; readonly clientConfig: Record<string, number> };
}

/** Token, bot info and endpoint. */
export function accountRoutes({ app, tokens, openDoor }: AccountRoutesOptions): Route[] {
  return [
    {
      name: "auth.tenantAccessToken",
      method: "POST",
      path: "/open-apis/auth/v3/tenant_access_token/internal",
      needsToken: false,
      handle({ body }) {
        const { app_id, app_secret } = parseOrRefuse(tokenBodySchema, body, 10003);
        if (app_id !== app.appId) throw new Refusal(10003, "invalid app_id", { status: 200 });
        if (app_secret !== app.appSecret) {
          throw new Refusal(10014, "app secret invalid", { status: 200 });
        }
        const { token, expiresInS } = tokens.issue();
        return { kind: "top", top: { tenant_access_token: token, expire: expiresInS } };
      },
    },
    {
      name: "bot.info",
      method: "GET",
      path: "/open-apis/bot/v3/info",
      handle: () => ({
        kind: "top",
        top: {
          bot: {
            activate_status: 2,
            app_name: app.botName,
            avatar_url: "",
            ip_white_list: [],
            open_id: app.botOpenId,
          },
        },
      }),
    },
    {
      name: "ws.endpoint",
      method: "POST",
      path: "/callback/ws/endpoint",
      needsToken: false,
      handle({ body }) {
        const { AppID, AppSecret } = parseOrRefuse(endpointBodySchema, body, 514);
        if (AppID !== app.appId || AppSecret !== app.appSecret) {
          throw new Refusal(514, "authentication failed", { status: 200 });
        }
        const { url, clientConfig } = openDoor();
        return { kind: "data", data: { URL: url, ClientConfig: clientConfig } };
      },
    },
  ];
}
