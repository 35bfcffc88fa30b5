import assert from "node:assert/strict";
import { NetError } from "../../../../actors/tools/net/net_error.ts";
import type { ToolNet, ToolRequest } from "../../../../actors/tools/tool.ts";
import { carriesCredentials } from "../../../../actors/tools/web/remote_reader.ts";
import { webFetchTool } from "../../../../actors/tools/web/web_fetch.ts";
import { contextWith } from "./web_context.ts";

const READ = JSON.stringify({
  code: 200,
  data: { title: "Bees", content: "Warm and fed", url: "https://bees.example/winter" },
});

interface Setting {
  readonly isOn?: boolean;
  readonly apiKey?: string;
  readonly isPublic?: boolean;
  /** What the reader answers, or why it does not. */
  readonly reader?: { readonly status: number; readonly body: string } | NetError;
}

/** Fetches `url`; gives the hosts that were asked, the requests, and the result. */
async function fetchWith(
  url: string,
  { isOn = true, apiKey = "", isPublic = true, reader = { status: 200, body: READ } }: Setting,
): Promise<{ readonly asked: readonly ToolRequest[]; readonly content: string }> {
  const asked: ToolRequest[] = [];
  const net: ToolNet = {
    request: (request) => {
      asked.push(request);
      const isReader = new URL(request.url).host === "r.jina.ai";
      if (isReader && reader instanceof NetError) return Promise.reject(reader);
      const { status, body } = isReader && !(reader instanceof NetError)
        ? reader
        : { status: 200, body: "local" };
      return Promise.resolve({
        url: request.url,
        status,
        headers: { "content-type": "text/plain" },
        body: new TextEncoder().encode(body),
        isCut: false,
      });
    },
    isPublic: () => Promise.resolve(isPublic),
  };
  const tool = webFetchTool({
    userAgent: "tester",
    remoteReader: isOn ? { apiKey } : null,
    resultCharsMax: 16_000,
  });
  const { content } = await tool.call({ url }, contextWith(net));
  assert.ok(typeof content === "string");
  return { asked, content };
}

Deno.test("The remote reader reads a public page, and nobody asks for it again", async () => {
  const { asked, content } = await fetchWith("https://bees.example/winter#top", { apiKey: "k" });
  assert.deepEqual(asked.map(({ url }) => url), ["https://r.jina.ai/https://bees.example/winter"]);
  assert.equal(asked[0]?.headers?.["authorization"], "Bearer k");
  const page: unknown = JSON.parse(content);
  assert.partialDeepStrictEqual(page, { extractor: "jina", untrusted: true, status: 200 });
  assert.match(content, /# Bees\\n\\nWarm and fed/);
});

Deno.test("Nobody but the server learns of a page while the remote reader is off", async () => {
  const { asked } = await fetchWith("https://bees.example/winter", { isOn: false });
  assert.deepEqual(asked.map(({ url }) => url), ["https://bees.example/winter"]);
});

Deno.test.each(
  [
    ["is asked too often", { status: 429, body: "" }],
    ["fails", { status: 500, body: READ }],
    ["finds nothing", { status: 200, body: '{"data":{"content":"  "}}' }],
    ["answers something else", { status: 200, body: "<html>" }],
    ["cannot be reached", new NetError("request_failed", "Cannot reach it")],
  ] as const,
)("The page is fetched from here when the remote reader %s", async (_name, reader) => {
  const { asked, content } = await fetchWith("https://bees.example/", { reader });
  assert.equal(asked.length, 2);
  assert.match(content, /local/);
});

Deno.test("The remote reader is told nothing of a page that is not public", async () => {
  const { asked } = await fetchWith("https://wiki.example/", { isPublic: false });
  assert.deepEqual(asked.map(({ url }) => url), ["https://wiki.example/"]);
});

const SECRETIVE = [
  "https://user:pw@x.example/",
  "https://x.example/?token=1",
  "https://x.example/?access_token=1",
  "https://x.example/?accessToken=1",
  "https://x.example/?api_key=1",
  "https://x.example/?apikey=1",
  "https://x.example/?X-Amz-Signature=1",
  "https://x.example/?sig=1&sv=2",
  "https://x.example/?code=1",
  "https://x.example/?sessionid=1",
  "https://x.example/?PASSWORD=1",
  "https://x.example/?a=b&auth=1",
  "https://x.example/?q=0123456789abcdef0123456789abcdef",
  "https://x.example/share/0123456789abcdefghij0123456789ABCDEFGHIJ",
];

Deno.test.each(SECRETIVE)("An address that opens something stays here: %s", async (url) => {
  assert.equal(carriesCredentials(new URL(url)), true);
  const { asked } = await fetchWith(url, {});
  assert.ok(asked.every((request) => !request.url.includes("r.jina.ai")));
});

Deno.test.each([
  "https://x.example/",
  "https://x.example/2026/11/bees-in-winter-how-they-keep-themselves-warm-and-fed",
  "https://x.example/?q=bees+in+winter&page=2",
  "https://x.example/?author=ada&keyword=passage",
  "https://en.wikipedia.example/wiki/Western_honey_bee#Winter",
])("An address that only says where a page is opens nothing: %s", (url) => {
  assert.equal(carriesCredentials(new URL(url)), false);
});
