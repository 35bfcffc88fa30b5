/**
 * What fails and how it is told, whatever protocol it came in.
 * @module
 */

import assert from "node:assert/strict";
import type { ProviderFailure } from "../../../providers/provider.ts";
import { type ModelReply, refuse, type StreamStep } from "../../simulators/model_server.ts";
import { errorOf } from "../../support/chat.ts";
import type { Contract } from "./harness.ts";

const TEXT: StreamStep = { type: "text", text: "half" };
const PAGE = { "content-type": "text/html" };

const FAULTS: readonly (readonly [ProviderFailure, string, ModelReply])[] = [
  ["provider_auth", "401", refuse(401, { message: "no", type: "authentication_error" })],
  ["provider_auth", "403", refuse(403, { message: "no" })],
  ["provider_quota", "402", refuse(402, { message: "pay" })],
  ["provider_quota", "429 for want of credit", refuse(429, { code: "insufficient_quota" })],
  ["provider_rate_limited", "429", refuse(429, { message: "x", type: "rate_limit_error" })],
  ["provider_overloaded", "500", refuse(500, { message: "oops" })],
  ["provider_overloaded", "529", refuse(529, { type: "overloaded_error", message: "x" })],
  ["provider_timeout", "408", refuse(408, { message: "x" })],
  ["provider_bad_request", "404", refuse(404, { message: "no such model" })],
  ["provider_web_page", "a redirect", {
    status: 302,
    headers: { location: "http://127.0.0.1:1/" },
    body: "",
  }],
  [
    "provider_context_too_long",
    "a long conversation",
    refuse(400, { type: "invalid_request_error", message: "prompt is too long: 300000 tokens" }),
  ],
  ["provider_content_filter", "a filter", refuse(400, { code: "content_filter", message: "no" })],
  ["provider_web_page", "a page", { status: 200, headers: PAGE, body: "<html>Log in</html>" }],
  ["provider_web_page", "a page that says it is none", {
    status: 200,
    headers: { "content-type": "text/event-stream" },
    body: "\n<!DOCTYPE html><title>Hotel</title>",
  }],
  ["provider_web_page", "a page instead of a refusal", {
    status: 403,
    headers: PAGE,
    body: "<html>Blocked</html>",
  }],
  ["provider_web_page", "a network that wants a sign-in", { status: 511, body: "Log in" }],
  ["provider_auth", "a page about credentials", {
    status: 401,
    headers: PAGE,
    body: "<html>Unauthorized</html>",
  }],
  ["provider_overloaded", "a page of a proxy", {
    status: 502,
    headers: PAGE,
    body: "<html>Bad gateway</html>",
  }],
  ["provider_overloaded", "an error under status 200", {
    status: 200,
    body: { error: { type: "server_error", message: "oops" } },
  }],
  ["provider_overloaded", "an error inside the stream", {
    steps: [TEXT, { type: "error", error: { type: "overloaded_error", message: "busy" } }],
  }],
  ["provider_rate_limited", "a limit inside the stream", {
    steps: [{ type: "error", error: { type: "rate_limit_error", message: "slow down" } }],
  }],
  ["provider_connection", "a cut in silence", { steps: [TEXT, { type: "cut", how: "silent" }] }],
  ["provider_connection", "a broken connection", { steps: [TEXT, { type: "cut", how: "reset" }] }],
  ["provider_connection", "a cut call", {
    steps: [
      { type: "calls", deltas: [{ index: 0, id: "a", name: "f", arguments: '{"x":1}' }] },
      { type: "cut", how: "silent" },
    ],
  }],
  ["provider_connection", "an event that is no JSON", {
    steps: [TEXT, { type: "raw", text: "data: {broken\n\n" }],
  }],
  ["provider_empty", "an empty stream", { steps: [], isBare: true }],
];

/** Each kind of failure, and what is said about it. */
export function testFaults(contract: Contract): void {
  for (const [code, what, reply] of FAULTS) {
    contract.test(`fails with ${code} on ${what}`, async (world) => {
      // Backends with a sign-in try once more with another token.
      world.server.push(reply);
      const error = errorOf(await world.answer(reply));
      assert.equal(error.code, code, error.message);
      assert.match(error.userText, /^The model request failed: [^\n]+$/);
    });
  }

  contract.test("tells how long the vendor wants to be left alone", async (world) => {
    const reply = refuse(429, { message: "x" }, { "retry-after": "20" });
    const error = errorOf(await world.answer(reply));
    assert.equal(error.retryAfterMs, 20_000);
    assert.equal(error.status, 429);
  });

  contract.test("believes a vendor that says not to ask again", async (world) => {
    const reply = refuse(409, { type: "rate_limit_exceeded" }, {
      "retry-after-ms": "250",
      "x-should-retry": "false",
    });
    const error = errorOf(await world.answer(reply));
    assert.equal(error.recovery, "give_up");
    assert.equal(error.retryAfterMs, 250);
  });

  for (const status of [429, 500, 502]) {
    contract.test(`asks once on ${status}`, async (world) => {
      errorOf(await world.answer(refuse(status, { message: "x" })));
      assert.equal(world.server.requests.length, 1);
    });
  }

  contract.test("keeps secrets out of its errors", async (world) => {
    const { secrets } = world;
    assert.ok(secrets.length > 0);
    const words = secrets.map((secret) => `bad credential ${secret}`).join(", ");
    for (
      const reply of [
        refuse(400, { message: words, type: "invalid_request_error" }),
        { status: 500, body: words },
        { steps: [TEXT, { type: "error", error: { message: words, type: "api_error" } }] },
      ] satisfies readonly ModelReply[]
    ) {
      const error = errorOf(await world.answer(reply));
      const shown = `${error.message} ${error.userText} ${error.stack} ${Deno.inspect(error)}`;
      for (const secret of secrets) assert.ok(!shown.includes(secret), shown);
    }
  });
}
