/**
 * One HTTP request and the beginning of its answer, over `node:http`, which alone lets us say to
 * which address it connects. A fresh connection each: nothing is sent twice by a pool.
 * @module
 */

import {
  type Agent,
  type ClientRequest,
  type IncomingMessage,
  request as httpRequest,
  type RequestOptions,
} from "node:http";
import { request as httpsRequest } from "node:https";
import type { Duplex } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { asError } from "../../../kernel/errors.ts";
import type { Hop, HopResponse } from "../connection.ts";
import { NetError } from "../net_error.ts";

/** All header lines of an answer together; what real servers send stays far below it. */
const HEADER_BYTES_MAX = 64 * 1024;

/** How the connection is made. */
export type ExchangeOptions = Pick<RequestOptions, "lookup"> & { readonly agent: Agent | false };

/**
 * Sends a request and waits for the head of the answer.
 *
 * @throws {NetError}, or the signal's reason
 */
export async function exchange(
  hop: Hop,
  options: ExchangeOptions,
  signal: AbortSignal,
): Promise<HopResponse> {
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<HopResponse>();
  const request = openRequest(hop, options);
  const abort = () => {
    reject(signal.reason);
    request.destroy();
  };
  signal.addEventListener("abort", abort, { once: true });
  const end = () => {
    signal.removeEventListener("abort", abort);
    request.destroy();
  };
  request.on("response", (message: IncomingMessage) => {
    try {
      resolve(responseOf(message, hop.url.host, end, signal));
    } catch (error) {
      end();
      reject(error);
    }
  });
  // A switch of protocols that nobody asked for.
  request.on("upgrade", () => {
    end();
    reject(new NetError("response_invalid", `Cannot read the answer of "${hop.url.host}"`));
  });
  request.on("error", (error: unknown) => {
    end();
    reject(signal.aborted ? signal.reason : failureOf(error, hop.url.host));
  });
  request.end(hop.body ?? undefined);
  return await promise;
}

function openRequest(hop: Hop, options: ExchangeOptions): ClientRequest {
  const send = hop.url.protocol === "https:" ? httpsRequest : httpRequest;
  try {
    return send(hop.url, {
      method: hop.method,
      headers: headersOf(hop),
      maxHeaderSize: HEADER_BYTES_MAX,
      ...options,
    });
  } catch (error) {
    // Headers with letters that none may have; a Deno before 2.9 does not know `lookup`.
    throw failureOf(error, hop.url.host);
  }
}

function headersOf({ url, headers, body }: Hop): Record<string, string> {
  return {
    "accept-encoding": "gzip, br",
    ...headers,
    host: url.host,
    connection: "close",
    ...(body !== null && { "content-length": String(new TextEncoder().encode(body).length) }),
  };
}

function responseOf(
  message: IncomingMessage,
  host: string,
  end: () => void,
  signal: AbortSignal,
): HopResponse {
  const headers = Object.fromEntries(
    Object.entries(message.headersDistinct).map(([name, values]) => [
      name.toLowerCase(),
      (values ?? []).join(", "),
    ]),
  );
  const unpacker = unpackerOf(headers["content-encoding"], host);
  return {
    status: message.statusCode ?? 0,
    headers,
    body: readBody(message, unpacker, host, end, signal),
    close() {
      unpacker?.destroy();
      message.destroy();
      end();
    },
  };
}

async function* readBody(
  message: IncomingMessage,
  unpacker: Duplex | null,
  host: string,
  end: () => void,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const source = unpacker === null ? message : message.pipe(unpacker);
  // A pipe does not carry errors.
  if (unpacker !== null) message.on("error", (error: unknown) => unpacker.destroy(asError(error)));
  try {
    for await (const chunk of source) {
      if (!(chunk instanceof Uint8Array)) continue; // no encoding is set: it always is one
      yield chunk;
    }
    signal.throwIfAborted();
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw failureOf(error, host);
  } finally {
    unpacker?.destroy();
    message.destroy();
    end();
  }
}

/** One packing at most: those that stack them do it to break readers. */
function unpackerOf(encoding: string | undefined, host: string): Duplex | null {
  switch (encoding?.trim().toLowerCase() ?? "") {
    case "":
    case "identity":
      return null;
    case "gzip":
    case "x-gzip":
      return createGunzip();
    case "deflate":
      return createInflate();
    case "br":
      return createBrotliDecompress();
    default: {
      const text = `Cannot read the answer of "${host}": it is packed in a way that is not read`;
      throw new NetError("response_invalid", text);
    }
  }
}

function failureOf(error: unknown, host: string): NetError {
  if (error instanceof NetError) return error;
  const cause = asError(error);
  const code = "code" in cause && typeof cause.code === "string" ? cause.code : "";
  if (cause.message.includes("options.lookup")) {
    const text = `Cannot reach "${host}": this Deno cannot connect to exactly the address that ` +
      "was checked; Deno 2.9 or newer can";
    return new NetError("pinning_unavailable", text, { cause });
  }
  if (/^(HPE_|Z_|ERR_BROTLI|ERR__ERROR|ERR_STREAM_PREMATURE)/.test(code)) {
    const text = `Cannot read the answer of "${host}": it is broken (${
      cause.message.slice(0, 120)
    })`;
    return new NetError("response_invalid", text, { cause });
  }
  // Where several addresses were tried, there is no message that speaks for all.
  const text = `Cannot reach "${host}": ${(cause.message || code).slice(0, 200)}`;
  return new NetError("request_failed", text, { cause });
}
