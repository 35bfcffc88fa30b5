/**
 * Requests to the servers that hand out tokens.
 * @module
 */

import { z } from "zod";
import type { Clock } from "../../actors/kernel/clock.ts";
import { Deadline } from "../../actors/kernel/deadline.ts";
import { deepestMessage } from "../wire/connection.ts";
import { SignInError } from "./errors.ts";

/** Longest wait for an answer. */
const TIMEOUT_MS = 20_000;

/** What came back: JSON, or null where it was none. */
export interface TokenAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** What a request is sent with. */
export interface TokenRequest {
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as a form by POST; without one the request is a GET. */
  readonly form?: Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly signal?: AbortSignal;
}

/**
 * Sends one request.
 *
 * @throws {SignInError} `sign_in_unreachable` when nothing comes back; the signal's reason
 */
export async function requestTokens(
  url: string,
  { headers = {}, form, clock, signal }: TokenRequest,
): Promise<TokenAnswer> {
  using deadline = new Deadline(clock, TIMEOUT_MS, { signal });
  try {
    const response = await fetch(url, {
      method: form === undefined ? "GET" : "POST",
      headers: { accept: "application/json", "user-agent": "Troupe", ...headers },
      body: form === undefined ? null : new URLSearchParams(form),
      redirect: "manual",
      signal: deadline.signal,
    });
    return { status: response.status, body: asJson(await response.text()) };
  } catch (error) {
    signal?.throwIfAborted();
    const host = URL.parse(url)?.host ?? "the server";
    const state = deadline.hasPassed ? `no answer for ${TIMEOUT_MS} ms` : deepestMessage(error);
    throw new SignInError("sign_in_unreachable", `Cannot reach "${host}": ${state}`);
  }
}

const refusal = z.object({
  error: z.union([z.string(), z.object({ code: z.string() }).transform(({ code }) => code)])
    .catch(""),
  error_description: z.string().catch(""),
});

/** The code and the words of a refusal; "" where there are none. */
export function refusalIn(body: unknown): { readonly code: string; readonly text: string } {
  const { data } = refusal.safeParse(body);
  return { code: data?.error ?? "", text: data?.error_description ?? "" };
}

function asJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
