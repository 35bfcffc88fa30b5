/**
 * Which part of the gateway needs which right, why, and what is off without it: one entry a part.
 * The printed command, the check at the start and the tests all go by this table.
 * @module
 */

import { join } from "node:path";
import type { Need, RightName } from "./need.ts";
import type { RightsFacts } from "./rights_facts.ts";

/** Parts that are switched off as a whole when a need of theirs is missing. */
export type Switch =
  | { readonly type: "start" }
  | { readonly type: "health" }
  | { readonly type: "api" }
  | { readonly type: "shell" }
  | { readonly type: "channel"; readonly name: string }
  /** It copes: it looks for itself, or fails call by call with a reason. */
  | { readonly type: "none" };

/** A part and what it needs under one configuration. */
export interface PartNeeds {
  readonly part: string;
  readonly needs: readonly Need[];
  /** What is off without any of them. */
  readonly without: string;
  readonly switches: Switch;
  /** What a reader of the needs should know. */
  readonly remark?: string;
}

/** The parts, in the order in which they start. */
const PARTS: readonly ((facts: RightsFacts) => readonly PartNeeds[])[] = [
  ({ app }) => [{
    part: "the program itself",
    needs: app.map((value) => ({ right: "read", value })),
    without: "commands, channels and tools cannot be loaded",
    switches: { type: "start" },
  }],
  ({ configFolder, stateFolder, mediaFolder, homeFolder, hasHomeVariable, ...facts }) => [{
    part: "configuration, state, media and workspace",
    needs: [
      ...(facts.skillsFolder === null ? [] : [need("write", facts.skillsFolder)]),
      ...[configFolder, stateFolder, mediaFolder, homeFolder, ...facts.workspaces].map((value) =>
        need("read", value)
      ),
      ...[stateFolder, mediaFolder, ...facts.workspaces].map((value) => need("write", value)),
      ...(hasHomeVariable ? [] : [need("sys", "homedir")]),
    ],
    without: "nothing can be kept, so the gateway does not start",
    switches: { type: "start" },
  }],
  ({ variables }) => [{
    part: "variables",
    needs: variables.map((value) => need("env", value)),
    without: "the gateway does not see the variable",
    switches: { type: "none" },
  }],
  ({ denoPath }) => [{
    part: "tool hosts",
    needs: [need("run", denoPath)],
    without: "tools run in threads of the gateway, where one that never ends keeps a core busy",
    switches: { type: "none" },
  }],
  ({ tools }) => [{
    part: "tools of a compiled program",
    needs: tools,
    without: "tools, plug-ins and hooks that need it fail",
    switches: { type: "none" },
    remark: "their hosts are the program itself, and can have no more rights than it",
  }],
  ({ extraFolders }) => [{
    part: "folders of tools.readableFolders and tools.writableFolders",
    needs: [
      ...extraFolders.read.map((value) => need("read", value)),
      ...extraFolders.write.flatMap((value) => [need("read", value), need("write", value)]),
    ],
    without: "tools cannot use the folder",
    switches: { type: "none" },
  }],
  ({ shell }) =>
    shell === null ? [] : [{
      part: `shell (${shell.level})`,
      needs: [
        ...shell.programs.map((value) => need("run", value)),
        ...shell.read.map((value) => need("read", value)),
        ...shell.write.map((value) => need("write", value)),
        ...shell.net.map((value) => need("net", value)),
        ...shell.variables.map((value) => need("env", value)),
        ...shell.system.map((value) => need("sys", value)),
      ],
      without: "a weaker level, or no shell (the line about tools says which)",
      switches: { type: "none" },
      ...(shell.remark !== undefined && { remark: shell.remark }),
    }],
  ({ models }) =>
    models.map(({ who, host }) => ({
      part: `model of ${who}`,
      needs: [need("net", host)],
      without: "each message is answered with the reason why the model cannot be reached",
      switches: { type: "none" },
    })),
  ({ transcription }) =>
    transcription === null ? [] : [{
      part: "transcription",
      needs: [need("net", transcription)],
      without: "voice messages are not written down",
      switches: { type: "none" },
    }],
  ({ mcp }) =>
    mcp.map(({ name, programs, hosts }) => ({
      part: `MCP server ${name}`,
      needs: [
        ...programs.map((value) => need("run", value)),
        ...hosts.map((value) => need("net", value)),
      ],
      without: "its tools are missing",
      switches: { type: "none" },
    })),
  ({ mcp }) => [{
    part: "the end of MCP servers of this machine",
    needs: mcp.some(({ programs }) => programs.length > 0) ? [need("run", "sh")] : [],
    without: "what such a server started may outlive it, and outlive a gateway that is killed",
    switches: { type: "none" },
  }],
  ({ hooks }) =>
    hooks.map(({ name, programs, read }) => ({
      part: `hook ${name}`,
      needs: [
        ...programs.map((value) => need("run", value)),
        ...read.map((value) => need("read", value)),
      ],
      without: "the hook is off, and calls that it has to agree to are refused",
      switches: { type: "none" },
    })),
  ({ channels }) =>
    channels.map(({ name, hosts, folders }) => ({
      part: `channel ${name}`,
      needs: [
        ...hosts.map((value) => need("net", value)),
        ...folders.map((value) => need("read", value)),
      ],
      without: "the channel is off",
      switches: { type: "channel", name },
    })),
  ({ health }) => [{
    part: "health endpoint",
    needs: [need("net", health)],
    without: "there is no health endpoint",
    switches: { type: "health" },
  }],
  ({ api }) =>
    api === null ? [] : [{
      part: "API",
      needs: [need("net", api)],
      without: "programs cannot use the API",
      switches: { type: "api" },
    }],
  ({ stateFolder, hasSocketRight }) => [{
    part: "control door",
    needs: hasSocketRight ? [need("net", `unix:${join(stateFolder, "control.sock")}`)] : [],
    without: "status, failed and other commands do not reach the gateway",
    switches: { type: "none" },
  }],
];

/** All parts with their needs. */
export function partsOf(facts: RightsFacts): readonly PartNeeds[] {
  return PARTS.flatMap((part) => part(facts)).filter(({ needs }) => needs.length > 0);
}

function need(right: RightName, value: string): Need {
  return { right, value };
}
