/**
 * What the gateway and a tool host say to each other: JSON, one message a line, over the host's
 * stdin and stdout or over the port of a Worker.
 * @module
 */

import { z } from "zod";
import type { ContentBlock } from "../../../providers/provider.ts";
import type { JsonObject, JsonValue } from "../../kernel/json.ts";
import type { PathRules } from "../path_policy.ts";
import { TOOL_FAILURES, type ToolFailure, type ToolOrigin, type ToolResult } from "../tool.ts";

/**
 * Longest line either side takes, in bytes: an image of 10 MB in base64, and then some. Whoever
 * sends more is broken.
 */
export const LINE_BYTES_MAX: number = 32 * 1024 * 1024;

/** Said by a host's thread to its own process, once, before anything else. */
export const HOST_READY = "ready";

/** Which tools a host runs: those of `host_kinds.ts`. */
export type HostKind = "files" | "web";

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

const reads = z.array(z.tuple([z.string(), z.string()])).readonly();
const paths = z.union([z.boolean(), z.array(z.string()).readonly()]);
const jsonObject: z.ZodType<JsonObject> = z.record(
  z.string(),
  z.lazy((): z.ZodType<JsonValue> => z.json()),
);

const setup: z.ZodType<HostSetup> = z.object({
  kind: z.enum(["files", "web"]),
  rights: z.object({
    read: paths,
    write: paths,
    net: paths,
    denyWrite: z.array(z.string()).exactOptional(),
    denyNet: z.array(z.string()).exactOptional(),
    memoryBytesMax: z.int(),
  }),
  workspace: z.string(),
  rules: z.object({
    workspace: z.string(),
    homeFolder: z.string(),
    isRestricted: z.boolean(),
    readableRoots: z.array(z.string()),
    protectedPaths: z.array(z.string()),
  }),
  settings: jsonObject,
});

/** Lines of the gateway. */
export const toHostSchema: z.ZodType<ToHost> = z.discriminatedUnion("type", [
  z.object({ type: z.literal("set_up"), setup }),
  z.object({
    type: z.literal("call"),
    id: z.int(),
    call: z.object({
      tool: z.string(),
      args: jsonObject,
      origin: z.object({ channel: z.string(), chatId: z.string(), sessionKey: z.string() }),
      reads,
    }),
  }),
  z.object({ type: z.literal("abort"), id: z.int() }),
]);

const block: z.ZodType<ContentBlock> = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text: z.string() }),
  z.object({
    type: z.literal("image_url"),
    image_url: z.object({ url: z.string() }),
    _meta: z.object({ path: z.string() }).exactOptional(),
  }),
]);

/** Lines of a host. */
export const fromHostSchema: z.ZodType<FromHost> = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("done"),
    id: z.int(),
    result: z.object({
      content: z.union([z.string(), z.array(block)]),
      isError: z.boolean(),
    }),
    reads,
  }),
  z.object({
    type: z.literal("failed"),
    id: z.int(),
    code: z.enum(TOOL_FAILURES),
    message: z.string(),
  }),
]);
