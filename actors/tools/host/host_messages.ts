/**
 * Reading the lines between gateway and tool host.
 * @module
 */

import { z } from "zod";
import type { ContentBlock } from "../../../providers/provider.ts";
import type { JsonObject, JsonValue } from "../../kernel/json.ts";
import { TOOL_FAILURES } from "../tool.ts";
import type { FromHost, HostSetup, ToHost } from "./host_protocol.ts";

const reads = z.array(z.tuple([z.string(), z.string()])).readonly();
const paths = z.union([z.boolean(), z.array(z.string()).readonly()]);
const jsonObject: z.ZodType<JsonObject> = z.record(
  z.string(),
  z.lazy((): z.ZodType<JsonValue> => z.json()),
);

const setup: z.ZodType<HostSetup> = z.object({
  kind: z.enum(["files", "web", "plugin"]),
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
    writableRoots: z.array(z.string()).exactOptional(),
    protectedPaths: z.array(z.string()),
    secretPaths: z.array(z.string()).exactOptional(),
    protectedIdentities: z.array(z.string()).exactOptional(),
    foldsCase: z.boolean().exactOptional(),
  }),
  settings: jsonObject,
});

/** What the gateway says. */
export const toHostSchema: z.ZodType<ToHost> = z.discriminatedUnion("type", [
  z.object({ type: z.literal("set_up"), setup }),
  z.object({
    type: z.literal("call"),
    id: z.int(),
    call: z.object({
      tool: z.string(),
      args: jsonObject,
      origin: z.object({ channel: z.string(), chatId: z.string(), sessionKey: z.string() }),
      resultCharsMax: z.int().optional(),
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

/** What a host says. */
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
