import assert from "node:assert/strict";
import { signedInFetch } from "../../../../actors/tools/mcp/adapters/signed_in_fetch.ts";
import { type SignInFile, signInFile } from "../../../../actors/tools/mcp/sign_in_file.ts";
import type { FetchLike } from "../../../../actors/tools/net/guarded_fetch.ts";
import { McpHttpServer } from "../../../simulators/mcp_http_server.ts";
import { temporaryFolder } from "../../../support/temporary_folder.ts";

const HELLO = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: {} });

/** A server whose token ran out, and processes that share the sign-in. */
async function bench({ renewal = "renew-0" } = {}) {
  const folder = await temporaryFolder();
  const server = new McpHttpServer({ wantsSignIn: true });
  const url = `${server.origin}/mcp`;
  const fileOfProcess = (): SignInFile => signInFile(folder.path, "s", () => crypto.randomUUID());
  await fileOfProcess().write({
    url,
    client: { client_id: "client-1", redirect_uris: [] },
    tokens: { access_token: "token-0", token_type: "Bearer", refresh_token: renewal },
    discovery: null,
  });
  return {
    ...{ url, file: fileOfProcess },
    stored: async () => (await fileOfProcess().read())?.tokens,
    renewals: () => server.requests.filter((request) => request === "POST /token").length,
    /** The status that a process gets. */
    ask: async (renewWith: FetchLike = fetch, signal: AbortSignal | null = null) => {
      const file = fileOfProcess();
      const response = await signedInFetch(fetch, { file, url, renewWith })(url, {
        ...{ method: "POST", body: HELLO, signal },
      });
      await response.body?.cancel();
      return response.status;
    },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

Deno.test("Of many who find that a token ran out, one renews it, and all go on", async () => {
  await using place = await bench();
  const statuses = await Promise.all(Array.from({ length: 8 }, () => place.ask()));
  assert.deepEqual(new Set(statuses), new Set([200]));
  assert.equal(place.renewals(), 1);
  assert.equal(await place.ask(), 200);
  assert.equal(place.renewals(), 1);
});

Deno.test("A sign-in that cannot be renewed just now is kept, and renewed later", async () => {
  await using place = await bench();
  const before = await place.stored();
  const offline = place.ask(() => Promise.reject(new TypeError("no route")));
  await assert.rejects(offline, {
    code: "mcp_unsent",
    message: /cannot be renewed just now: no route/,
  });
  const busy = place.ask(() => Promise.resolve(new Response("busy", { status: 503 })));
  await assert.rejects(busy, { code: "mcp_unsent", message: /status 503/ });
  assert.deepEqual(await place.stored(), before);
  assert.equal(await place.ask(), 200);
});

Deno.test("A sign-in that was taken back needs a person, whoever asks", async () => {
  await using place = await bench({ renewal: "renew-9" });
  await assert.rejects(place.ask(), { code: "mcp_sign_in" });
  assert.equal(await place.stored(), null);
  assert.equal(await place.ask(), 401);
  assert.equal(place.renewals(), 1);
});

Deno.test("Who waits for a renewal may leave it to itself", async () => {
  await using place = await bench();
  const leaving = new AbortController();
  const answer = Promise.withResolvers<Response>();
  const asked = place.ask(() => {
    leaving.abort(new Error("stopped"));
    return answer.promise;
  }, leaving.signal);
  await assert.rejects(asked, { message: "stopped" });
  answer.reject(new TypeError("gone"));
  assert.equal(await place.ask(), 200); // behind the one that was left
});

Deno.test("Tokens go to nobody but the server", async () => {
  await using place = await bench();
  let seen: string | null = "nothing came";
  const plain: FetchLike = (_url, init) => {
    seen = new Headers(init?.headers).get("authorization");
    return Promise.resolve(new Response(null, { status: 401 }));
  };
  const wire = signedInFetch(plain, { file: place.file(), url: place.url, renewWith: plain });
  assert.equal((await wire("https://other.example/")).status, 401);
  assert.equal(seen, null);
});
