/**
 * From an HTTP response to an answer or a fault.
 * @module
 */

import type { Fault } from "../failures.ts";
import { waitFromHeaders } from "../retry_after.ts";
import { type Answer, WireError } from "./answer.ts";
import { faultOfVendorError } from "./vendor_error.ts";
import { foreignFault, isHtml, pageFault } from "./web_page.ts";

/** Longest body of an error that is looked at, in bytes. */
const ERROR_BYTES_MAX = 64 * 1_024;

/**
 * The answer in a response with a good status.
 *
 * @throws {WireError} when it holds none, whatever its status says
 */
export async function answerOf(response: Response): Promise<Answer> {
  const type = response.headers.get("content-type")?.toLowerCase() ?? "";
  if (isHtml(response.headers)) {
    await response.body?.cancel();
    throw new WireError(pageFault());
  }
  if (type.includes("json")) return { kind: "whole", body: await jsonOf(response) };
  if (response.body === null) throw foreign("the answer has no body");
  return { kind: "stream", body: response.body };
}

/**
 * The fault that a response with a bad status tells of.
 *
 * @param nowMs epoch milliseconds, for waits that are given as a date
 */
export async function faultOfResponse(response: Response, nowMs: number): Promise<Fault> {
  const text = await firstText(response);
  return { ...faultOfVendorError(parsed(text)), ...faultOfHead(response, nowMs) };
}

/** What status and headers tell of a fault. */
export function faultOfHead(
  { status, headers }: Pick<Response, "status" | "headers">,
  nowMs: number,
): Partial<Fault> & Pick<Fault, "status"> {
  const verdict = headers.get("x-should-retry");
  const retryAfterMs = waitFromHeaders(headers, nowMs);
  return {
    status,
    ...foreignFault({ status, headers }),
    ...(verdict !== null && { shouldRetry: verdict === "true" }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  };
}

async function jsonOf(response: Response): Promise<unknown> {
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch {
    throw foreign("the answer says that it is JSON and is none");
  }
}

async function firstText(response: Response): Promise<string> {
  if (response.body === null) return "";
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const piece of response.body) {
    text += decoder.decode(piece, { stream: true });
    bytes += piece.length;
    if (bytes > ERROR_BYTES_MAX) break;
  }
  return text;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function foreign(text: string): WireError {
  return new WireError({ failure: "provider_bad_request", tokens: [], text });
}
