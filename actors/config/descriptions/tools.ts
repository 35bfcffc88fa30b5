/**
 * What the keys of section `tools` are for, MCP servers aside.
 * @module
 */

import type { SettingTexts } from "./setting_text.ts";

/** By the way from the root. */
export const toolsTexts: SettingTexts = {
  "tools": "What the assistant may do, and how far it reaches ([security](security.md)).",
  "tools.restrictToWorkspace":
    "The file tools and the shell stay inside the workspace and the folders below.",
  "tools.readableFolders": {
    takes: "list of folders",
    text: "Folders besides the workspace that the file tools read: `/srv/notes`, `~/notes`.",
  },
  "tools.writableFolders": {
    takes: "list of folders",
    text: "Folders besides the workspace that they read and write.",
  },
  "tools.ssrfWhitelist": {
    takes: "list of address ranges",
    text: "Private addresses that the web tools reach all the same: `100.64.0.0/10`.",
  },
  "tools.allowedHosts": {
    takes: "list of hosts",
    text:
      "The only hosts that tools reach, `example.org` or `*.example.org`. Empty: every public one.",
  },
  "tools.my": "The tool by which the assistant looks at itself.",
  "tools.my.enable": "Lets it look at its own settings.",
  "tools.my.allowSet": "Lets it change them while it runs.",
  "tools.web": "Search and fetch.",
  "tools.web.enable": "The web tools are there.",
  "tools.web.proxy": {
    takes: "address or null",
    text: "HTTP or SOCKS5 proxy of all web tools: `socks5://127.0.0.1:1080`.",
  },
  "tools.web.userAgent":
    "What the web tools call themselves to servers. Empty: as a browser would.",
  "tools.web.fetch": "How pages are fetched.",
  "tools.web.fetch.useJinaReader":
    "Lets r.jina.ai read public pages first, which then learns their addresses.",
  "tools.web.search": "Who answers a web search.",
  "tools.web.search.provider": "Who searches; `duckduckgo` needs no key.",
  "tools.web.search.apiKey":
    "Its key; without one, that of the environment (`BRAVE_API_KEY` and the like).",
  "tools.web.search.baseUrl": {
    takes: "address",
    text: "Address of a SearXNG server; without one, `SEARXNG_BASE_URL`.",
  },
  "tools.web.search.maxResults": "Results of one search.",
  "tools.web.search.timeout": "Seconds that one search may take.",
  "tools.exec": "The shell ([its levels](security.md#the-shell)).",
  "tools.exec.enable": "The shell is there.",
  "tools.exec.timeout": "Seconds that one command may take, unless its call asks for others.",
  "tools.exec.pathAppend": "Folders that are appended to the `PATH` of commands.",
  "tools.exec.sandbox":
    "How far commands are kept from the machine ([levels](security.md#the-shell)). `auto`: the strongest level that works here; `none` is `process`.",
  "tools.exec.network":
    "What commands reach under `bwrap`: what the web tools may, nothing, or all that this machine does.",
  "tools.exec.allowedEnvKeys": "Names of environment variables that commands inherit.",
  "tools.exec.denyPatterns":
    "Regular expressions; a command is refused where a program in it, with its words, matches one.",
  "tools.exec.allowPatterns":
    "Regular expressions; they lift the built-in rules where every program of a command matches one.",
  "tools.approval": "Calls that need an owner's yes ([asking first](security.md#asking-first)).",
  "tools.approval.tools": "Names of tools of which each call needs it; `*` stands for any letters.",
  "tools.approval.commands":
    "Commands that need it, by the program and its first words: `rm`, `git push`.",
  "tools.approval.timeout": "Seconds that an owner has to answer; then it is a no.",
  "tools.plugins": {
    takes: "list of objects",
    text:
      'Tools of others ([plug-ins](security.md#plug-ins)): `{"module": "npm:x@1.2.3", "rights": {"read": ["workspace"], "write": [], "net": ["example.org:443"]}}`.',
  },
  "tools.plugins[]": "A module that exports tools, and what they may do.",
  "tools.plugins[].module":
    "A whole path, `npm:` specifier with an exact version, or URL that is cached.",
  "tools.plugins[].rights": "Exactly what it may do.",
  "tools.plugins[].rights.read": "What it may read: `workspace`, or whole paths.",
  "tools.plugins[].rights.write": "What it may write: `workspace`, or whole paths.",
  "tools.plugins[].rights.net": "What it reaches, as `host` or `host:port`.",
};
