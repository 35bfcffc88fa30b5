import assert from "node:assert/strict";
import { inspect } from "node:util";
import fc from "fast-check";
import { type Fault, type FaultContext, providerError } from "../../providers/failures.ts";
import type { ProviderFailure } from "../../providers/provider.ts";
import { redact } from "../../providers/redaction.ts";
import { faultOfVendorError } from "../../providers/wire/vendor_error.ts";
import { waitFromHeaders, waitFromText } from "../../providers/retry_after.ts";

const CONTEXT: FaultContext = {
  displayName: "Test",
  baseUrl: "http://user:pw@box:8000/v1",
  isLocal: false,
  secrets: ["the-secret-key"],
};

function judge(fault: Partial<Fault>, context: Partial<FaultContext> = {}) {
  return providerError({ tokens: [], text: "", ...fault }, { ...CONTEXT, ...context });
}

Deno.test.each<[ProviderFailure, Partial<Fault>]>([
  ["provider_auth", { status: 401 }],
  ["provider_auth", { status: 403, text: "forbidden" }],
  ["provider_auth", { status: 400, text: "API key not valid. Please pass a valid API key." }],
  ["provider_quota", { status: 402 }],
  ["provider_quota", { status: 403, tokens: ["insufficient_quota"] }],
  ["provider_quota", { status: 429, tokens: ["insufficient_quota", "insufficient_quota"] }],
  ["provider_quota", { status: 429, text: "You exceeded your current quota" }],
  ["provider_quota", { status: 400, tokens: ["arrearage"] }],
  ["provider_rate_limited", { status: 429, tokens: ["rate_limit_exceeded"] }],
  ["provider_rate_limited", { status: 429, tokens: ["1302"], text: "速率限制" }],
  ["provider_rate_limited", { tokens: ["1302"], text: "您的账户已达到速率限制" }],
  ["provider_rate_limited", { tokens: ["429"] }],
  ["provider_timeout", { status: 408 }],
  ["provider_overloaded", { status: 409, text: "conflict" }],
  ["provider_overloaded", { status: 500 }],
  ["provider_overloaded", { status: 529, tokens: ["overloaded_error"] }],
  ["provider_overloaded", { tokens: ["overloaded_error"] }],
  ["provider_overloaded", { tokens: ["server_error"] }],
  ["provider_overloaded", { text: "502 Bad Gateway" }],
  ["provider_overloaded", { text: "当前访问量过大" }],
  ["provider_timeout", { text: "upstream request timed out" }],
  ["provider_connection", { text: "provider disconnected" }],
  ["provider_context_too_long", { status: 400, tokens: ["context_length_exceeded"] }],
  ["provider_context_too_long", { status: 413 }],
  ["provider_context_too_long", { status: 400, text: "maximum context length is 15000 tokens" }],
  ["provider_content_filter", { status: 400, tokens: ["content_filter"] }],
  ["provider_content_filter", { status: 400, tokens: ["data_inspection_failed"] }],
  ["provider_bad_request", { status: 400, text: "max_tokens must be below 15000" }],
  ["provider_bad_request", { status: 400, text: "bad connection parameter, timeout" }],
  ["provider_bad_request", { status: 404 }],
  ["provider_bad_request", { text: "who knows" }],
])("providerError finds %s in %j", (code, fault) => {
  assert.equal(judge(fault).code, code);
});

Deno.test.each<[ProviderFailure, string]>([
  ["provider_overloaded", "retry"],
  ["provider_empty", "retry"],
  ["provider_auth", "give_up"],
  ["provider_aborted", "give_up"],
])("providerError on %s recommends to %s", (failure, recovery) => {
  assert.equal(judge({ failure }).recovery, recovery);
});

Deno.test.each([[true, 400, "retry"], [false, 429, "give_up"]])(
  "providerError believes a vendor that says %s to a retry of %s",
  (shouldRetry, status, recovery) => {
    assert.equal(judge({ status, shouldRetry }).recovery, recovery);
  },
);

Deno.test("providerError takes the wait from the headers, else from the words", () => {
  const text = "429 rate limit, retry after 7s";
  assert.equal(judge({ status: 429, text }).retryAfterMs, 7_000);
  assert.equal(judge({ status: 429, text, retryAfterMs: 200 }).retryAfterMs, 200);
});

Deno.test("providerError says 'failed' to people and nothing of the vendor", () => {
  const codes: readonly Partial<Fault>[] = [401, 402, 429, 500, 408, 400, 413].map((status) => ({
    status,
    text: "VENDOR WORDS",
  }));
  for (const fault of codes) {
    const { userText } = judge(fault);
    assert.match(userText, /^The model request failed: [^\n]+$/);
    assert.ok(!userText.includes("VENDOR"));
  }
});

Deno.test("providerError helps with a local server that is not there", () => {
  const { userText } = judge({ failure: "provider_connection" }, { isLocal: true });
  assert.match(userText, /local model server at http:\/\/box:8000 .*proxy\/tunnel/);
  assert.ok(!userText.includes("pw"));
});

/** All that anybody may see of it. */
function shownOf({ message, userText, cause }: ReturnType<typeof judge>): string {
  return `${message} ${userText} ${String(cause)}`;
}

Deno.test("providerError never holds the key, wherever the vendor put it", () => {
  const key = fc.stringMatching(/^[\w.$+/=-]{4,40}$/);
  fc.assert(fc.property(key, fc.string(), fc.string(), fc.string(), (key, before, after, token) => {
    const error = judge({ status: 401, text: `${before}${key}${after}`, tokens: [token, key] }, {
      secrets: [key],
    });
    const shown = shownOf(error);
    // The words of any such error may contain a short key: "Test", "http", "undefined".
    const innocent = shownOf(judge({ status: 401, tokens: [], text: "" })) + error.userText;
    if (!innocent.includes(key)) assert.ok(!shown.includes(key), shown);
  }));
  const error = judge({ status: 401, text: "wrong key the-secret-key" });
  assert.ok(!inspect(error, { depth: null, showHidden: true }).includes("the-secret-key"));
});

Deno.test.each([
  ["Incorrect API key provided: sk-abc***********xyz1.", /provided: \*\*\*/],
  ["Authorization: Bearer abc.def.ghi", /Bearer \*\*\*$/],
  ["GET https://u:p@host/v1?api_key=abc&x=1", /https:\/\/\*\*\*@host\/v1\?api_key=\*\*\*&x=1/],
  ["key AIzaSyA1234567890abcdef is bad", /key \*\*\* is bad/],
  ["502 <html><body>secret page</body></html>", /^an HTML page$/],
  ["<!DOCTYPE html><p>", /^an HTML page$/],
  ["a\n  b", /^a b$/],
])("redact cleans %s", (text, expected) => {
  assert.match(redact(text, []), expected);
});

Deno.test("redact cuts long texts short", () => {
  assert.ok(redact("x ".repeat(1_000), []).length < 310);
});

Deno.test.each([
  ['{"error":{"retry_after":20}}', 20_000],
  ["Rate limit reached, please try again in 20s", 20_000],
  ["retry-after: 20", 20_000],
  ["Retry after 7s", 7_000],
  ["retry after 2 minutes", 120_000],
  ["retry after 1500 ms", 1_500],
  ["try again in 350ms", 350],
  ["Please retry in 41.5s.", 41_500],
  ["try again in 1.5 seconds", 1_500],
  ["please wait 3 sec before retry", 3_000],
  ["retry after 0.01", 100],
  ["try again in a moment", undefined],
  ["try again in 20", undefined],
])("waitFromText reads %s as %s ms", (text, expected) => {
  assert.equal(waitFromText(text), expected);
});

Deno.test.each<[Record<string, string>, number | undefined]>([
  [{ "Retry-After": "20" }, 20_000],
  [{ "retry-after": "1.5" }, 1_500],
  [{ "retry-after": "Wed, 21 Oct 2015 07:28:00 GMT" }, 100],
  [{ "retry-after": "Thu, 01 Jan 2026 00:00:30 GMT" }, 30_000],
  [{ "retry-after-ms": "250" }, 250],
  [{ "Retry-After-Ms": "1000" }, 1_000],
  [{ "retry-after-ms": "500", "retry-after": "10" }, 500],
  [{ "retry-after": "0" }, undefined],
  [{ "retry-after": "soon" }, undefined],
  [{}, undefined],
])("waitFromHeaders reads %j as %s ms", (headers, expected) => {
  assert.equal(waitFromHeaders(new Headers(headers), Date.UTC(2026, 0, 1)), expected);
});

Deno.test.each<[unknown, number | undefined]>([
  [{ message: "The usage limit has been reached", resets_in_seconds: 7_200 }, 7_200_000],
  [{ error: { message: "slow down", retry_after: 20 } }, 20_000],
  [{ message: "slow down", retry_after: "soon" }, undefined],
])("faultOfVendorError reads the wait in %j as %s ms", (body, expected) => {
  assert.equal(faultOfVendorError(body).retryAfterMs, expected);
});

Deno.test.each([
  [{ detail: "Unsupported parameter: x" }, "Unsupported parameter: x"],
  [{ error: "model not found" }, "model not found"],
  [[{ error: { message: "in a list" } }], "in a list"],
  [{ error: { message: "bad", param: "tools" } }, "bad [tools]"],
])("faultOfVendorError reads the words in %j", (body, expected) => {
  assert.equal(faultOfVendorError(body).text, expected);
});
