/**
 * What a host has no right to, in place of the ports of a tool's context.
 * @module
 */

import { ToolError, type ToolFiles, type ToolNet, type ToolProcesses } from "../tool.ts";
import type { HostContext } from "./host_inside.ts";

/** Files for tools that may touch none. */
const REFUSED_FILES: ToolFiles = {
  resolve: () => refuse("files"),
  info: () => refuse("files"),
  read: () => refuse("files"),
  write: () => refuse("files"),
  remove: () => refuse("files"),
  list: () => refuse("files"),
};

/** Processes for tools that may start none. */
const REFUSED_PROCESSES: ToolProcesses = { run: () => refuse("processes") };

/** The network for tools that may reach none. */
const REFUSED_NET: ToolNet = {
  request: () => refuse("the network"),
  isPublic: () => refuse("the network"),
};

/** All ports, for tools that need none; a host has its own in place of some. */
export const REFUSED: HostContext = {
  files: REFUSED_FILES,
  processes: REFUSED_PROCESSES,
  net: REFUSED_NET,
  send: () => refuse("messages"),
};

function refuse(what: string): Promise<never> {
  const text = `Cannot use ${what} here: the tool did not declare that it needs them`;
  return Promise.reject(new ToolError("not_available", text));
}
