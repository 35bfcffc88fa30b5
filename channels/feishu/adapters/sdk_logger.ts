/**
 * A logger for the SDK that lets no secret through.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import type { Logger } from "@larksuiteoapi/node-sdk";

const logger = getLogger(["troupe", "feishu", "sdk"]);

/** Tokens, and the one-time secrets of a connection's address. */
const SECRET_PATTERNS: readonly RegExp[] = [
  /\b[tua]-[A-Za-z0-9._-]{8,}/g,
  /Bearer\s+\S+/gi,
  /\b(?:ticket|access_key|device_id)=[^&\s"']*/gi,
];

/**
 * Everything the SDK says goes to the debug log: what matters is reported by the channel itself.
 * Objects are left out, as the SDK logs whole requests; of errors only the message is kept.
 *
 * @param secrets values to strike out wherever they occur
 */
export function sdkLogger(secrets: readonly string[]): Logger {
  const strike = (...parts: unknown[]): void => {
    const text = parts.flat().map((part) => wordsOf(part)).filter((part) => part !== "").join(" ");
    logger.debug("SDK: {text}", { text: redact(text, secrets) });
  };
  return { error: strike, warn: strike, info: strike, debug: strike, trace: strike };
}

/** `text` without secrets. */
export function redact(text: string, secrets: readonly string[]): string {
  let redacted = text;
  for (const secret of secrets) {
    if (secret !== "") redacted = redacted.replaceAll(secret, "[secret]");
  }
  for (const pattern of SECRET_PATTERNS) redacted = redacted.replace(pattern, "[secret]");
  return redacted;
}

function wordsOf(part: unknown): string {
  if (typeof part === "string") return part;
  return part instanceof Error ? part.message : "";
}
