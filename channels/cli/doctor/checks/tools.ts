/**
 * That the tools of files and of the web are kept from what is not theirs.
 * @module
 */

import { join } from "node:path";
import { lacksFolder, realFolder } from "../../../../actors/gateway/adapters/local_folders.ts";
import { exists, removeIfThere } from "../../../../actors/kernel/adapters/missing.ts";
import { pathRules, wireHosts } from "../../../../actors/gateway/tool_wiring.ts";
import { Bait } from "../../../../actors/tools/adapters/bait.ts";
import { createToolNet } from "../../../../actors/tools/net/adapters/tool_net.ts";
import type { ToolHosts } from "../../../../actors/tools/host/tool_hosts.ts";
import { ToolError, type ToolOrigin } from "../../../../actors/tools/tool.ts";
import { writeSecret } from "../adapters/machine.ts";
import {
  type Check,
  fault,
  type Finding,
  ok,
  type ReadyScene,
  skipped,
  withConfig,
} from "../finding.ts";

const ORIGIN: ToolOrigin = { channel: "cli", chatId: "doctor", sessionKey: "cli:doctor" };
const REQUEST_MS = 5_000;
/** A fault here is ours: there is nothing to be set. */
const REPORT = "do not let strangers in until this is understood; please report it";

/** Reads and writes the gateway's state with a tool, and asks the web tools for this machine. */
export const toolsCheck: Check = {
  name: "Tools",
  timeoutMs: 30_000,
  run: withConfig(async (scene, signal) => {
    const { workspace, stateFolder } = scene.loaded.locations;
    if ([workspace, stateFolder].some(lacksFolder)) {
      return [skipped("they are tried once there is a workspace: after the first start")];
    }
    const leaks = [...await fileLeaks(scene, signal), ...await netLeaks(scene, signal)];
    return leaks.length > 0 ? leaks : [
      ok(
        "reading and writing the gateway's state, and reaching this machine, were tried and denied",
      ),
    ];
  }),
};

async function fileLeaks(
  { loaded, world }: ReadyScene,
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  const { workspace, stateFolder } = loaded.locations;
  const { hosts } = wireHosts(loaded, pathRules(loaded, realFolder(workspace)), world);
  await using _hosts = hosts;
  const id = world.newId();
  const secret = `secret-${world.newId()}`;
  const secretFile = join(stateFolder, `doctor-${id}.secret`);
  const outside = join(stateFolder, `doctor-${id}.out`);
  const inside = join(workspace, `.doctor-${id}.in`);
  await using cleaning = new AsyncDisposableStack();
  for (const file of [secretFile, outside, inside]) cleaning.defer(() => removeIfThere(file));
  await writeSecret(secretFile, secret);
  const shown = await said(hosts, "read_file", { path: secretFile }, signal);
  await said(hosts, "write_file", { path: outside, content: "x" }, signal);
  const told = await said(hosts, "write_file", { path: inside, content: "x" }, signal);
  return [
    ...(shown.includes(secret) ? [fault("a tool could read the gateway's state", REPORT)] : []),
    ...(await exists(outside) ? [fault("a tool could write the gateway's state", REPORT)] : []),
    ...(await exists(inside)
      ? []
      : [fault(`tools cannot write into the workspace: ${told}`, null)]),
  ];
}

/** What a tool answers, a refusal included. */
async function said(
  hosts: ToolHosts,
  tool: string,
  args: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<string> {
  try {
    const call = { tool, args, origin: ORIGIN, reads: [] };
    return JSON.stringify((await hosts.call("files", call, signal)).result.content);
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    return error.message;
  }
}

async function netLeaks(
  { loaded: { config: { tools } }, world: { clock } }: ReadyScene,
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  // The owner opened private addresses: some may be reached.
  if (!tools.web.enable || tools.ssrfWhitelist.length > 0) return [];
  const net = createToolNet({
    clock,
    allowedRanges: tools.ssrfWhitelist,
    allowedHosts: tools.allowedHosts,
    proxy: null,
  });
  await using bait = new Bait();
  for (const host of ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]"]) {
    const request = { url: `http://${host}:${bait.port}/`, bytesMax: 100, timeoutMs: REQUEST_MS };
    await net.request(request, signal).catch(() => {}); // a refusal is what is hoped for
  }
  return bait.visits > 0 ? [fault("web tools could reach this machine", REPORT)] : [];
}
