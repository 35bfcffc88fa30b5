/**
 * Where the gateway's files are. Looking a place up creates nothing.
 * @module
 */

import { dirname, join, resolve } from "node:path";
import type { ConfigSource } from "./source.ts";

/** Absolute paths of everything that belongs to one gateway. */
export interface Locations {
  /** The configuration file, whether it is there or not. */
  readonly configFile: string;
  /** Its folder, which holds the folders below. */
  readonly configFolder: string;
  /** Journal, lock, control door and caches. */
  readonly stateFolder: string;
  /** Attachments, in a folder for each channel. */
  readonly mediaFolder: string;
  readonly logsFolder: string;
  /** What the assistant works in. */
  readonly workspace: string;
  /** `~/.troupe` or `TROUPE_HOME`: shared by all gateways of this person. */
  readonly homeFolder: string;
}

/** Where the configuration is, before it is read. */
export interface ConfigPlace {
  readonly configFile: string;
  readonly homeFolder: string;
}

/** The configuration file: the one of `--config`, else `config.json` in the home folder. */
export function locateConfig(source: ConfigSource, configPath: string | undefined): ConfigPlace {
  const home = source.env["TROUPE_HOME"] ?? "";
  const homeFolder = home === ""
    ? join(source.homeDir, ".troupe")
    : absolutePath(home, source.cwd, source);
  const configFile = configPath === undefined
    ? join(homeFolder, "config.json")
    : absolutePath(configPath, source.cwd, source);
  return { configFile, homeFolder };
}

/** All places, once the workspace is known. */
export function locate({ configFile, homeFolder }: ConfigPlace, workspace: string): Locations {
  const configFolder = dirname(configFile);
  return {
    configFile,
    configFolder,
    stateFolder: join(configFolder, "state"),
    mediaFolder: join(configFolder, "media"),
    logsFolder: join(configFolder, "logs"),
    workspace,
    homeFolder,
  };
}

/** The path with `~` expanded; a relative one starts from `folder`. */
export function absolutePath(path: string, folder: string, source: ConfigSource): string {
  if (path === "~") return source.homeDir;
  if (/^~[/\\]/.test(path)) return join(source.homeDir, path.slice(2));
  return resolve(folder, path);
}
