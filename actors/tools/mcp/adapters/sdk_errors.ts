/**
 * What the protocol's library throws, in our words.
 * @module
 */

import { z } from "zod";
import { asError } from "../../../kernel/errors.ts";
import { NetError, type NetFailure } from "../../net/net_error.ts";
import { McpError } from "../connection.ts";
import {
  ErrorCode,
  ProtocolError,
  SseError,
  StreamableHTTPError,
  UnauthorizedError,
} from "./sdk.ts";

const MESSAGE_CHARS_MAX = 600;

/** The error as one of ours; `reason` is what the transport knows of its own end. */
export function asMcpError(thrown: unknown, reason: string): McpError {
  if (thrown instanceof McpError) return thrown;
  const cause = asError(thrown);
  const failed = (code: McpError["code"], text: string) =>
    new McpError(code, text.slice(0, MESSAGE_CHARS_MAX), { cause });
  if (cause instanceof UnauthorizedError) return failed("mcp_sign_in", SIGN_IN);
  if (cause instanceof ProtocolError) {
    if (cause.code === ErrorCode.ConnectionClosed) {
      return failed("mcp_lost", reason || "the connection was closed");
    }
    return failed("mcp_refused", `the server refuses: ${cause.message}`);
  }
  if (cause instanceof StreamableHTTPError || cause instanceof SseError) {
    return ofStatus(cause.code, cause.message, failed);
  }
  if (cause instanceof NetError) return ofNetwork(cause, failed);
  if (cause instanceof z.core.$ZodError || cause.name === "ZodError") {
    return failed("mcp_refused", "the server's answer makes no sense");
  }
  // Nested so deep that nobody can look through it.
  if (cause instanceof RangeError) {
    return failed("mcp_refused", "the server's answer makes no sense");
  }
  if (cause instanceof SyntaxError) return failed("mcp_refused", "the server's answer is no JSON");
  return failed("mcp_lost", reason || cause.message);
}

const SIGN_IN = "it wants somebody to sign in";

type Failed = (code: McpError["code"], text: string) => McpError;

function ofStatus(status: number | undefined, message: string, failed: Failed): McpError {
  switch (status) {
    case 401:
      return failed("mcp_sign_in", SIGN_IN);
    case 404:
      return failed("mcp_unsent", "it knows nothing of this session, or there is no such address");
    case undefined:
    case -1:
      return failed("mcp_lost", plain(message));
    default:
      return status >= 500
        ? failed("mcp_lost", `it answers with status ${status}`)
        : failed("mcp_refused", `it answers with status ${status}: ${plain(message)}`);
  }
}

/** Before these a request never reached the server. Of all others nobody knows. */
const UNSENT: ReadonlySet<NetFailure> = new Set([
  ...(["url_invalid", "host_refused", "host_unresolved", "pinning_unavailable"] as const),
]);

function ofNetwork(error: NetError, failed: Failed): McpError {
  const { cause } = error;
  const isRefused = cause instanceof Error && "code" in cause && cause.code === "ECONNREFUSED";
  return failed(UNSENT.has(error.code) || isRefused ? "mcp_unsent" : "mcp_lost", error.message);
}

function plain(message: string): string {
  return message.replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " ").trim();
}
