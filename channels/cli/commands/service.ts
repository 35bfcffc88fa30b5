/**
 * `service install`, `status`, `logs` and `uninstall`: the gateway kept running by the system.
 * @module
 */

import { basename, dirname } from "node:path";
import type { LoadedConfig } from "../../../actors/config/load_config.ts";
import { thisMachine } from "../../../actors/gateway/rights/adapters/machine.ts";
import { DiskTextFiles } from "../../../actors/kernel/adapters/text_files.ts";
import { readConfigFile } from "../adapters/config_file.ts";
import { type ProgramVariables, runProgram, showProgram } from "../adapters/programs.ts";
import type { Terminal } from "../adapters/terminal.ts";
import { loadAndPrepare, type LoadFlags } from "../load.ts";
import {
  OWN_MARK,
  ServiceError,
  type ServiceManager,
  type ServiceStep,
} from "../service/service_manager.ts";
import {
  environmentFileOf,
  namedVariables,
  namesIn,
  planService,
  variableLine,
} from "../service/service_plan.ts";
import {
  lookAtService,
  managerFor,
  type ServiceFlags,
  type ServiceScene,
  thisScene,
} from "../service/service_scene.ts";

/** Flags of `service install`. */
export interface InstallFlags extends ServiceFlags, LoadFlags {
  readonly port?: number | undefined;
  readonly allRights?: boolean | undefined;
  readonly copyEnv?: boolean | undefined;
  readonly print?: boolean | undefined;
}

/** Writes the service's file and starts it; with `--print` only shows the file. */
export async function serviceInstallCommand(
  flags: InstallFlags,
  terminal: Terminal,
  scene: ServiceScene = thisScene(),
): Promise<number> {
  const manager = managerFor(flags, scene);
  const machine = thisMachine(); // like the scene, before secrets leave the environment
  const { variables } = scene;
  const loaded = await loadAndPrepare(flags, terminal, { logs: false });
  const isUnbound = flags.allRights === true;
  const plan = await planService({ loaded, machine, variables, flags, isUnbound });
  const text = manager.text(plan);
  if (flags.print === true) {
    terminal.write(text);
    return 0;
  }
  await refuseForeign(manager);
  await provideVariables(loaded, { variables, isCopying: flags.copyEnv === true }, terminal);
  await write(manager.file, text);
  terminal.write(`Service: wrote ${manager.file}\n`);
  await carryOut(manager.start, scene);
  terminal.write(`Service: ${flags.name} is started, now and at every login\n`);
  terminal.write(`${manager.advice}\n`);
  return 0;
}

/** Says how the service is; 1 where it does not run. */
export async function serviceStatusCommand(
  flags: ServiceFlags & { readonly json?: boolean | undefined },
  terminal: Terminal,
  scene: ServiceScene = thisScene(),
): Promise<number> {
  const { manager, text, state } = await lookAtService(flags, scene);
  const isInstalled = text !== null;
  const status = { installed: isInstalled, file: manager.file, manager: manager.kind, ...state };
  if (flags.json === true) terminal.write(`${JSON.stringify(status, null, 2)}\n`);
  else if (!isInstalled) {
    terminal.write(`Service: not installed (service install makes ${manager.file})\n`);
  } else {
    const process = state.pid === null ? "" : `, process ${state.pid}`;
    const ended = state.lastExitCode === null ? "" : `, last exit code ${state.lastExitCode}`;
    terminal.write(`Service: ${state.state}${process}${ended} (${manager.file})\n`);
  }
  return state.isRunning ? 0 : 1;
}

/** Shows what the service wrote. */
export async function serviceLogsCommand(
  { lines, follow, ...flags }: ServiceFlags & {
    readonly lines: number;
    readonly follow?: boolean | undefined;
  },
  scene: ServiceScene = thisScene(),
): Promise<number> {
  const words = managerFor(flags, scene).logs({ lines, isFollowing: follow === true });
  const code = await showProgram(words, scene.variables);
  if (code === null) throw missingProgram(words);
  return code === 0 ? 0 : 1;
}

/** Stops the service and removes its file; configuration, state and workspace stay. */
export async function serviceUninstallCommand(
  flags: ServiceFlags & { readonly print?: boolean | undefined },
  terminal: Terminal,
  scene: ServiceScene = thisScene(),
): Promise<number> {
  const manager = managerFor(flags, scene);
  if (flags.print === true) {
    const steps = [...manager.stop, { words: ["rm", manager.file] }, ...manager.forget];
    for (const { words } of steps) terminal.write(`${words.join(" ")}\n`);
    return 0;
  }
  if (await readConfigFile(manager.file) === null) {
    terminal.write(`Service: not installed (there is no ${manager.file})\n`);
    return 0;
  }
  await refuseForeign(manager);
  await carryOut(manager.stop, scene);
  await new DiskTextFiles(dirname(manager.file)).remove(basename(manager.file));
  await carryOut(manager.forget, scene);
  terminal.write(`Service: stopped, and ${manager.file} removed; all else stays as it is\n`);
  return 0;
}

async function refuseForeign({ file }: ServiceManager): Promise<void> {
  const there = await readConfigFile(file);
  if (there === null || there.includes(OWN_MARK)) return;
  throw new ServiceError(
    "service_foreign",
    `Cannot change "${file}": somebody else wrote it; move it away, or choose another --name`,
  );
}

/** A service sees none of a shell's variables: those that are named have to stand in its file. */
async function provideVariables(
  loaded: LoadedConfig,
  { variables, isCopying }: {
    readonly variables: ProgramVariables;
    readonly isCopying: boolean;
  },
  terminal: Terminal,
): Promise<void> {
  const file = environmentFileOf(loaded);
  const text = await readConfigFile(file) ?? "";
  const missing = namedVariables(loaded).filter((name) => !namesIn(text).has(name));
  if (missing.length === 0) return;
  const names = missing.join(", ");
  if (!isCopying) {
    throw new ServiceError(
      "service_lacks",
      `Cannot install the service: "${file}" lacks ${names}, and a service does not see your ` +
        "shell's variables; write them there (NAME=value), or add --copy-env to have it done",
    );
  }
  const lines = missing.map((name) => variableLine(name, variables[name] ?? ""));
  const before = text === "" || text.endsWith("\n") ? text : `${text}\n`;
  await write(file, before + lines.join(""));
  terminal.write(`Service: wrote ${names} to ${file}, for you alone to read\n`);
}

async function write(path: string, text: string): Promise<void> {
  await new DiskTextFiles(dirname(path)).replace(basename(path), text);
}

async function carryOut(
  steps: readonly ServiceStep[],
  { variables }: ServiceScene,
): Promise<void> {
  for (const { words, mayFail = false } of steps) {
    const end = await runProgram(words, variables);
    if (end === null) throw missingProgram(words);
    if (end.code === 0 || mayFail) continue;
    const said = (end.stderr.trim() || end.stdout.trim()).split("\n")[0] ?? "";
    throw new ServiceError(
      "service_failed",
      `Cannot go on: "${words.join(" ")}" ended with ${end.code}: ${said}`,
    );
  }
}

function missingProgram([program = ""]: readonly string[]): ServiceError {
  return new ServiceError(
    "service_unsupported",
    `Cannot find "${program}": this system keeps no services that way (in a container, run ` +
      "`gateway` as its command)",
  );
}
