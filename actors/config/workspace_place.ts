/**
 * Where the workspace is, and where it must not be.
 * @module
 */

import { dirname, isAbsolute, join, relative } from "node:path";
import { absolutePath, type ConfigPlace } from "./locations.ts";
import type { Report } from "./report.ts";
import { DEFAULT_WORKSPACE } from "./schema/agents.ts";
import type { ConfigSource } from "./source.ts";

/** What the place is made from. */
export interface WorkspaceOptions {
  readonly place: ConfigPlace;
  readonly source: ConfigSource;
  /** `--workspace`, if it was given. */
  readonly flag: string | undefined;
}

const KEY = ["agents", "defaults", "workspace"] as const;

/**
 * The workspace's absolute path: the flag starts from the current folder, the value `written` in
 * the file from the folder of the file. Whatever the assistant may write to is in there, and
 * whatever it may read: a home folder or the keys of the configuration are refused.
 */
export function workspacePlace(
  written: string,
  { place, source, flag }: WorkspaceOptions,
  report: Report,
): string {
  const configFolder = dirname(place.configFile);
  if (flag !== undefined) report.nameOrigin(KEY, "--workspace");
  const workspace = flag !== undefined
    ? absolutePath(flag, source.cwd, source)
    : written === DEFAULT_WORKSPACE
    ? join(place.homeFolder, "workspace")
    : absolutePath(written, configFolder, source);
  if (holds(workspace, source.homeDir)) refuse("holds your whole home folder", report);
  else if (holds(workspace, configFolder)) {
    const what = "holds the configuration with its keys, which the assistant could read";
    // Who writes "." hardly knows that it stands for the folder of the file.
    const isMeant = flag !== undefined || isAbsolute(written) || written.startsWith("~");
    if (!isMeant) refuse(what, report);
    else report.warn(KEY, `agents.defaults.workspace ${what}: choose a folder of its own`);
  }
  return workspace;
}

function refuse(what: string, report: Report): void {
  const remedy = "set it to a folder of its own, such as ~/assistant";
  report.refuse(KEY, { code: "config_value_invalid", what, remedy });
}

/** Whether `folder` is `outer` or lies below it. */
function holds(outer: string, folder: string): boolean {
  const way = relative(outer, folder);
  return !isAbsolute(way) && way.split(/[/\\]/)[0] !== "..";
}
