/**
 * Whether the names of the servers that are needed can be looked up.
 * @module
 */

import { isIP } from "node:net";
import { gatherFacts } from "../../../../actors/gateway/rights/rights_facts.ts";
import { asError } from "../../../../actors/kernel/errors.ts";
import { lookUp } from "../adapters/machine.ts";
import { type Check, fault, type Finding, ok, skipped, warning, withConfig } from "../finding.ts";

const PROXY_VARIABLES = ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"];

/** Looks up hosts of models, channels and MCP servers. */
export const namesCheck: Check = {
  name: "DNS",
  timeoutMs: 15_000,
  run: withConfig(async ({ loaded, machine, isOffline }) => {
    if (isOffline) return [skipped("not asked, as --offline says")];
    const { models, channels, mcp } = gatherFacts(loaded, machine);
    const hosts = namesOf([
      ...models.map(({ host }) => host),
      ...channels.flatMap(({ hosts }) => hosts),
      ...mcp.flatMap(({ hosts }) => hosts),
    ]);
    if (hosts.length === 0) return [ok("no name of another machine is needed")];
    const found = (await Promise.all(hosts.map(lookedUp))).filter((finding) => finding !== null);
    if (found.length === 0) return [ok(`${hosts.length} names found`)];
    // A proxy looks names up itself.
    const hasProxy = machine.variables.some((name) => PROXY_VARIABLES.includes(name));
    return hasProxy
      ? found.map(({ detail, fix }) => warning(`${detail} (a proxy may know it)`, fix))
      : found;
  }),
};

/** Names of other machines, each once, without ports. */
export function namesOf(hosts: readonly string[]): readonly string[] {
  const names = hosts.map((host) => host.replace(/:\d+$/, "").replace(/^\[|\]$/g, ""));
  return [...new Set(names)].filter((name) =>
    isIP(name) === 0 && name !== "localhost" && !name.includes("*") && name !== ""
  );
}

async function lookedUp(host: string): Promise<Finding | null> {
  try {
    await lookUp(host);
    return null;
  } catch (error) {
    return fault(
      `"${host}" cannot be looked up: ${asError(error).message}`,
      "check the address in the configuration, the network, and the system's DNS",
    );
  }
}
