import assert from "node:assert/strict";
import { type ModelReply, ModelServer, refuse } from "../../simulators/model_server.ts";
import { startTlsServer } from "../../support/tls_server.ts";
import { home, run } from "./_provider_home.ts";

const PAGE = { "content-type": "text/html" };

/** What `providers test` says of a server, in its one line. */
async function trialOf(apiBase: string): Promise<string> {
  await using place = await home({ custom: { apiBase, apiKey: "sk-secret" } });
  const { code, out } = await run(place, "providers", "test", "custom");
  assert.equal(code, 1);
  assert.match(out, /^✗ custom at \S+: [^\n]*\n$/);
  assert.doesNotMatch(out, /sk-secret/);
  return out.replace(/^✗ custom at \S+: /, "");
}

Deno.test.each<[string, string, ModelReply]>([
  ["key", "check apiKey", refuse(401, { message: "no", code: "invalid_api_key" })],
  ["key", "check apiKey", refuse(403, { message: "Forbidden" })],
  [
    "key",
    "check apiKey",
    refuse(400, { message: "API key not valid. Please pass a valid API key." }),
  ],
  [
    "model name",
    "check agents.defaults.model",
    refuse(403, { message: "The project does not have access to model `m`" }),
  ],
  ["model name", "check agents.defaults.model", refuse(404, { message: "no such model: m" })],
  ["quota", "no credit", refuse(402, { message: "Payment required" })],
  ["quota", "no credit", refuse(403, { message: "Insufficient balance" })],
  ["rate limit", "try again later", refuse(429, { message: "x" }, { "retry-after": "36000" })],
  ["server", "try again later", refuse(529, { type: "overloaded_error" })],
  ["url", "a web page, not a model's answer", { status: 200, headers: PAGE, body: "<html>" }],
  ["url", "a web page, not a model's answer", { status: 404, headers: PAGE, body: "<html>" }],
  ["url", "may want a sign-in", {
    status: 302,
    headers: { location: "http://portal.example/login?mac=secret" },
    body: "",
  }],
  ["url", "does not speak as a model server", { status: 200, body: "It works!" }],
  ["url", "apiBase", { status: 200, body: { error: "Unexpected endpoint or method." } }],
  ["server", "try again later", { status: 502, headers: PAGE, body: "<html>Bad gateway" }],
])("providers test says '%s' and '%s' to what the server answers", async (fault, hint, reply) => {
  await using server = await ModelServer.start(() => reply);
  const said = await trialOf(server.baseUrl);
  assert.ok(said.startsWith(`${fault}: `) && said.includes(hint), said);
  assert.doesNotMatch(said, /mac=secret/);
});

Deno.test.each([
  ["", "most servers want /v1 at its end"],
  ["/v1/v1", "names the version twice"],
  ["/v1/chat/completions", "leave that part out"],
])("providers test sees a slip in the address: %j", async (path, hint) => {
  await using server = await ModelServer.start(() => refuse(404, { message: "Not Found" }));
  const said = await trialOf(`${new URL(server.baseUrl).origin}${path}`);
  assert.ok(said.startsWith("url: ") && said.includes(hint), said);
});

Deno.test("providers test names a host that nobody knows", async () => {
  const said = await trialOf("http://no-such-host.invalid/v1");
  assert.match(said, /^network: the host name cannot be looked up/);
});

Deno.test("providers test names a port where nobody listens", async () => {
  const gone = await ModelServer.start([]);
  await gone[Symbol.asyncDispose]();
  assert.match(await trialOf(gone.baseUrl), /^network: nothing listens there/);
});

Deno.test("providers test names a certificate that nobody vouches for", async () => {
  await using server = startTlsServer();
  const said = await trialOf(`https://127.0.0.1:${server.port}/v1`);
  assert.match(said, /^network: the certificate of the server is not accepted/);
});

Deno.test("providers test sees https where only http is spoken, and the other way round", async () => {
  await using plain = await ModelServer.start([]);
  const secure = await trialOf(plain.baseUrl.replace("http:", "https:"));
  assert.match(secure, /^network: the server speaks no TLS; apiBase may want http:/);
  await using tls = startTlsServer();
  const said = await trialOf(`http://127.0.0.1:${tls.port}/v1`);
  assert.match(said, /^network: the server speaks no plain HTTP; apiBase may want https:/);
});

Deno.test("providers test names a connection that is closed at once", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const closing = (async () => {
    for await (const connection of listener) connection.close();
  })();
  const said = await trialOf(`http://127.0.0.1:${listener.addr.port}/v1`);
  listener.close();
  await closing;
  assert.match(said, /^network: the connection is closed at once/);
});
