import assert from "node:assert/strict";
import { asMcpError } from "../../../../actors/tools/mcp/adapters/sdk_errors.ts";
import { StreamableHTTPError } from "../../../../actors/tools/mcp/adapters/sdk.ts";
import { McpError, type McpFailure } from "../../../../actors/tools/mcp/connection.ts";
import { NetError, type NetFailure } from "../../../../actors/tools/net/net_error.ts";

function refused(): Error {
  return Object.assign(new Error("connect ECONNREFUSED 127.0.0.1:1"), { code: "ECONNREFUSED" });
}

// What is called unsent is sent again, whatever the tool does: it must be sure.
Deno.test.each<[NetFailure, Error | undefined, McpFailure]>([
  ["host_refused", undefined, "mcp_unsent"],
  ["host_unresolved", undefined, "mcp_unsent"],
  ["url_invalid", undefined, "mcp_unsent"],
  ["pinning_unavailable", undefined, "mcp_unsent"],
  ["request_failed", refused(), "mcp_unsent"],
  ["request_failed", new Error("read ECONNRESET"), "mcp_lost"],
  ["request_failed", undefined, "mcp_lost"],
  ["request_timed_out", undefined, "mcp_lost"],
  ["response_invalid", undefined, "mcp_lost"],
  ["redirect_refused", undefined, "mcp_lost"],
])("A request that ended by %s (%s) counts as %s", (code, cause, expected) => {
  const error = new NetError(code, 'Cannot reach "refused.example"', { cause });
  assert.equal(asMcpError(error, "").code, expected);
});

Deno.test.each<[number | undefined, McpFailure]>([
  [401, "mcp_sign_in"],
  [404, "mcp_unsent"],
  [400, "mcp_refused"],
  [429, "mcp_refused"],
  [500, "mcp_lost"],
  [504, "mcp_lost"],
  [undefined, "mcp_lost"],
])("An answer with status %s counts as %s", (status, expected) => {
  assert.equal(asMcpError(new StreamableHTTPError(status, "<b>no</b>"), "").code, expected);
});

Deno.test("What nobody knows of counts as lost, and what is ours stays as it is", () => {
  assert.equal(asMcpError("odd", "").code, "mcp_lost");
  assert.equal(asMcpError(new RangeError("Maximum call stack"), "").code, "mcp_refused");
  const own = new McpError("mcp_timed_out", "late");
  assert.equal(asMcpError(own, "x"), own);
});
