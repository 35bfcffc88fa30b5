/**
 * A program: asks for each address in its arguments, as if every name resolved to 127.0.0.1, and
 * prints what came. Run on its own, with certificates that only it trusts.
 * @module
 */

import { asError } from "../../actors/kernel/errors.ts";
import { LOOPBACK, testNet } from "./web_server.ts";

if (import.meta.main) {
  const net = testNet({ ...LOOPBACK, lookUp: () => Promise.resolve(["127.0.0.1"]) });
  const { signal } = new AbortController();
  for (const url of Deno.args) {
    const said = await net.request({ url, bytesMax: 1_000, timeoutMs: 10_000 }, signal).then(
      ({ body }) => new TextDecoder().decode(body),
      (error) => asError(error).message,
    );
    const line = `${said.replaceAll("\n", " ")}\n`;
    await Deno.stdout.write(new TextEncoder().encode(line));
  }
}
