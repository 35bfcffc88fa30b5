/**
 * The arguments of bubblewrap: what a command sees of the machine.
 * @module
 */

import { dirname } from "node:path";
import { contains } from "../path_policy.ts";
import type { ShellScope } from "./level.ts";

/** Where our own things stand inside: the relay, its way out, the small files of /etc. */
export const INSIDE = "/run/troupe";

/** Size of each file system that is kept in memory. */
const TMPFS_BYTES = 512 * 1024 ** 2;

/** Read-only where they exist. Links are made again, folders bound. */
export const SYSTEM_FOLDERS: readonly string[] = [
  ...["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/nix/store"],
];

/** What programs need of /etc; no names of people, no keys, no passwords. */
const ETC = [
  ...["alternatives", "ca-certificates", "ca-certificates.conf", "crypto-policies", "fonts"],
  ...["ld.so.cache", "ld.so.conf", "ld.so.conf.d", "localtime", "magic", "mime.types"],
  ...["nsswitch.conf", "os-release", "pki", "protocols", "python3", "services", "ssl", "terminfo"],
];

/** All that decides what is seen. */
export interface BwrapPlan {
  readonly scope: ShellScope;
  /** Those of the scope's hidden paths that are there. */
  readonly hidden: readonly HiddenPath[];
  /** Of the folders in {@link SYSTEM_FOLDERS} those that are there, links with their target. */
  readonly system: readonly SystemFolder[];
  /** Absolute path of the home folder, which is empty inside. */
  readonly home: string;
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  /** Whether the network of the machine is shared. */
  readonly sharesNetwork: boolean;
  /** Bound read-only: path outside, path inside. */
  readonly extras: readonly (readonly [outside: string, inside: string])[];
}

/** A file or folder that must look empty inside. */
export interface HiddenPath {
  readonly path: string;
  readonly isFolder: boolean;
}

/** A folder of the system, or a link to one. */
export interface SystemFolder {
  readonly path: string;
  /** As the link has it; undefined for a folder. */
  readonly linkTarget: string | undefined;
}

/** Everything between `bwrap` and the program. */
export function bwrapArguments(plan: BwrapPlan): readonly string[] {
  const { scope, folder, env, sharesNetwork, extras } = plan;
  return [
    ...["--unshare-all", "--unshare-user", ...(sharesNetwork ? ["--share-net"] : [])],
    ...["--cap-drop", "ALL", "--die-with-parent", "--new-session", "--hostname", "sandbox"],
    "--clearenv",
    ...Object.entries(env).flatMap(([name, value]) => ["--setenv", name, value]),
    ...(scope.isRestricted ? closedRoot(plan) : openRoot()),
    ...scope.readableRoots.flatMap((path) => ["--ro-bind-try", path, path]),
    ...scope.writableRoots.flatMap((path) => ["--bind-try", path, path]),
    ...["--bind", scope.workspace, scope.workspace],
    ...scope.readOnlyPaths.flatMap((path) => ["--ro-bind-try", path, path]),
    ...plan.hidden.filter((hidden) => isVisible(hidden, scope)).flatMap(({ path, isFolder }) =>
      isFolder ? ["--tmpfs", path, "--remount-ro", path] : ["--ro-bind", "/dev/null", path]
    ),
    ...extras.flatMap(([outside, inside]) => ["--ro-bind", outside, inside]),
    ...["--chdir", folder, "--"],
  ];
}

/** Only the system, read-only, and empty places. */
function closedRoot({ system, home, sharesNetwork }: BwrapPlan): readonly string[] {
  return [
    ...["--ro-bind", "/usr", "/usr"],
    ...system.flatMap(({ path, linkTarget }) =>
      linkTarget === undefined ? ["--ro-bind", path, path] : ["--symlink", linkTarget, path]
    ),
    ...ETC.flatMap((name) => ["--ro-bind-try", `/etc/${name}`, `/etc/${name}`]),
    ...(sharesNetwork ? ["--ro-bind-try", "/etc/resolv.conf", "/etc/resolv.conf"] : []),
    ...["--proc", "/proc", "--dev", "/dev"],
    ...["/tmp", "/var/tmp", "/run"].flatMap(empty),
    ...(canBeEmpty(home) ? empty(home) : []),
  ];
}

/** The whole disk, as the owner asked for. */
function openRoot(): readonly string[] {
  return [
    ...["--bind", "/", "/", "--proc", "/proc", "--dev", "/dev"],
    ...["/tmp", "/run"].flatMap(empty),
  ];
}

/** What is not bound needs no hiding, and binding over it would fail or make it. */
function isVisible({ path }: HiddenPath, scope: ShellScope): boolean {
  const { workspace, readableRoots, writableRoots, isRestricted } = scope;
  if ([workspace, ...readableRoots, ...writableRoots].some((root) => contains(root, path))) {
    return true;
  }
  return !isRestricted && !["/tmp", "/run"].some((root) => contains(root, path));
}

function empty(path: string): readonly string[] {
  return ["--size", String(TMPFS_BYTES), "--tmpfs", path];
}

/** A home that is a part of the system, such as `/` of some service users, stays as it is. */
function canBeEmpty(home: string): boolean {
  const system = ["/usr", "/proc", "/dev", "/etc", "/tmp", "/run"];
  return home !== "/" && dirname(home) !== home &&
    !system.some((path) => contains(home, path) || contains(path, home));
}
