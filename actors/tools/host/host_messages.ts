/**
 * Reading the lines that a tool host writes.
 * @module
 */

import { z } from "zod";
import type { ContentBlock } from "../../../providers/provider.ts";
import { TOOL_FAILURES } from "../tool.ts";
import type { FromHost } from "./host_protocol.ts";

const reads = z.array(z.tuple([z.string(), z.string()])).readonly();
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
