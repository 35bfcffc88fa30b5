/**
 * What the gateway and a tool host say to each other: JSON, one message a line, over the host's
 * stdin and stdout or over the port of a Worker.
 * @module
 */

import type { JsonObject } from "../../kernel/json.ts";
import type { PathRules } from "../path_policy.ts";
import type { ToolFailure, ToolOrigin, ToolResult } from "../tool.ts";

/**
 * Longest line either side takes, in bytes: an image of 10 MB in base64, and then some. Whoever
 * sends more is broken.
 */
export const LINE_BYTES_MAX: number = 32 * 1024 * 1024;

/** Said by a host's thread to its own process, once, before anything else. */
export const HOST_READY = "ready";

/** Which tools a host runs: those of `host_kinds.ts`. */
export type HostKind = "files" | "web" | "plugin" | "hook";

/** Rights of a host, as paths and `host:port`; true is everything. */
export interface HostRights {
  readonly read: boolean | readonly string[];
  readonly write: boolean | readonly string[];
  readonly net: boolean | readonly string[];
  /** Refused whatever else is allowed; beneath the checks of the tools. */
  readonly denyWrite?: readonly string[];
  readonly denyNet?: readonly string[];
  /** Most memory of the whole host, in bytes. */
  readonly memoryBytesMax: number;
}

/** All that a host is started with. */
export interface HostSetup {
  readonly kind: HostKind;
  readonly rights: HostRights;
  /** Absolute path. */
  readonly workspace: string;
  /** The path policy; what a host of another kind than `files` gets is never used. */
  readonly rules: PathRules;
  /** What the kind's tools are made with, for instance a section of the configuration. */
  readonly settings: JsonObject;
}

/** A call, as it goes to a host. */
export interface HostCall {
  readonly tool: string;
  readonly args: JsonObject;
  readonly origin: ToolOrigin;
  readonly resultCharsMax?: number | undefined;
  /** What the session has read, path and fingerprint. */
  readonly reads: readonly (readonly [string, string])[];
}

/** Said to a host. */
export type ToHost =
  | { readonly type: "set_up"; readonly setup: HostSetup }
  | { readonly type: "call"; readonly id: number; readonly call: HostCall }
  | { readonly type: "abort"; readonly id: number };

/** Said by a host. */
export type FromHost =
  | {
    readonly type: "done";
    readonly id: number;
    readonly result: ToolResult;
    readonly reads: readonly (readonly [string, string])[];
  }
  | {
    readonly type: "failed";
    readonly id: number;
    readonly code: ToolFailure;
    readonly message: string;
  };
