/**
 * Opens the shell: makes the levels there are here, tries them, and keeps the one that works.
 * @module
 */

import { join } from "node:path";
import { exists } from "../../../kernel/adapters/missing.ts";
import type { Clock } from "../../../kernel/clock.ts";
import { Deadline } from "../../../kernel/deadline.ts";
import { asError } from "../../../kernel/errors.ts";
import type { NewId } from "../../../kernel/random.ts";
import { Bait } from "../../adapters/bait.ts";
import type { NetBoundary } from "../../net/boundary.ts";
import { chooseLevel, type LevelCandidate, type LevelChoice } from "../choose_level.ts";
import type { ShellLevel, ShellLevelName, ShellScope } from "../level.ts";
import { PROBE_TIMEOUT_MS, probeLevel, type ProbeResult } from "../probe.ts";
import { BwrapLevel, PROXY_PORT } from "./bwrap_level.ts";
import { Lifeline } from "./lifeline.ts";
import type { ShellRunner } from "./marked_processes.ts";
import { ProcessLevel } from "./process_level.ts";
import { VirtualLevel } from "./virtual_level.ts";

/** Addresses that the probe tries to reach: this machine, and the metadata of clouds. */
export const PROBED_ADDRESSES: readonly string[] = ["127.0.0.1", "169.254.169.254"];

/** What the shell is opened with. */
export interface OpenShellOptions {
  readonly clock: Clock;
  readonly newId: NewId;
  readonly wanted: ShellLevelName | "auto";
  readonly network: "filtered" | "none" | "host";
  readonly scope: ShellScope;
  /** Folders that are seen read-only under `bwrap` because PATH names them. */
  readonly programFolders: readonly string[];
  /** Folder of the gateway's state, outside the workspace: the probe's secret is put there. */
  readonly stateFolder: string;
  /** The whole environment of a command. */
  readonly env: Readonly<Record<string, string>>;
  readonly boundary: NetBoundary;
  /** Of {@link PROBED_ADDRESSES} those that the owner lets commands reach. @default none */
  readonly allowedAddresses?: readonly string[] | undefined;
}

/** Chooses a level and leaves nothing of the attempts behind. The level is the caller's to end. */
export async function openShellLevel(options: OpenShellOptions): Promise<LevelChoice> {
  const { scope } = options;
  // What is not there cannot be made read-only.
  await Promise.all(
    ["sessions", "cron", "memory"].map((name) =>
      Deno.mkdir(join(scope.workspace, name), { recursive: true })
    ),
  );
  const lifelines = new Map<ShellLevelName, Lifeline>();
  const choice = await chooseLevel(
    options.wanted,
    candidates(options, (level, runner) => {
      const lifeline = new Lifeline(options.newId, runner);
      lifelines.set(level, lifeline);
      return lifeline;
    }),
    (level) => probe(level, options),
  );
  if (choice.state === "chosen") lifelines.get(choice.level.name)?.warn();
  return choice;
}

function candidates(
  options: OpenShellOptions,
  lifeline: (level: ShellLevelName, runner: ShellRunner) => Lifeline,
): readonly LevelCandidate[] {
  const { clock, newId, scope, env, network, boundary, programFolders } = options;
  const seen = { ...scope, readableRoots: [...programFolders, ...scope.readableRoots] };
  return [
    {
      name: "bwrap",
      open: () =>
        BwrapLevel.open({
          clock,
          scope: seen,
          env,
          network,
          boundary,
          lifeline: lifeline("bwrap", "bwrap"),
        }),
      fix: "install bubblewrap and let it make user namespaces, or choose another " +
        "tools.exec.sandbox",
    },
    {
      name: "virtual",
      open: () => Promise.resolve(new VirtualLevel({ clock, scope, env })),
      fix: Deno.build.standalone
        ? "choose another tools.exec.sandbox"
        : 'run "deno install" once, or choose another tools.exec.sandbox',
    },
    {
      name: "process",
      open: () =>
        Promise.resolve(new ProcessLevel({ newId, env, lifeline: lifeline("process", "sh") })),
      fix: "see that there is a shell and the right to run it",
    },
  ];
}

async function probe(level: ShellLevel, options: OpenShellOptions): Promise<ProbeResult> {
  const { clock, newId, scope: { workspace }, stateFolder, network, allowedAddresses = [] } =
    options;
  const id = newId();
  const secret = `secret-${newId()}`;
  const secretFile = join(stateFolder, `probe-${id}.secret`);
  const outsideFile = join(stateFolder, `probe-${id}.outside`);
  const stateFile = join(workspace, "sessions", `.probe-${id}`);
  const insideFile = join(workspace, `.probe-${id}`);
  const files = [secretFile, outsideFile, stateFile, insideFile];
  await using cleaning = new AsyncDisposableStack();
  cleaning.defer(() => removeAll(files));
  await Deno.writeTextFile(secretFile, secret, { mode: 0o600 });
  const listener = cleaning.use(new Bait());
  using deadline = new Deadline(clock, PROBE_TIMEOUT_MS);
  return await probeLevel(level, level.name !== "process", {
    targets: {
      ...{ workspace, secretFile, secret, outsideFile, stateFile, insideFile },
      port: listener.port,
      proxyPort: level.name === "bwrap" && network === "filtered" ? PROXY_PORT : undefined,
      reachesHost: level.name === "bwrap" && network === "host" ||
        allowedAddresses.includes("127.0.0.1"),
      refusedAddresses: PROBED_ADDRESSES.filter((address) => !allowedAddresses.includes(address)),
    },
    effects: { exists, wasReached: () => listener.visits > 0 },
    signal: deadline.signal,
  });
}

async function removeAll(paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    try {
      await Deno.remove(path);
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw asError(error);
    }
  }
}
