/**
 * The `message` tool: sends a message, with files, to a chat at once.
 * @module
 */

import { z } from "zod";
import { defineTool, textResult } from "./define_tool.ts";
import { type Tool, type ToolContext, ToolError } from "./tool.ts";

const ATTACHMENTS_MAX = 20;

/** The tool. */
export const messageTool: Tool = defineTool({
  name: "message",
  description:
    "Send a message to the person at once, before your answer. This is the only way to send " +
    "files: name their paths in media (reading a file does not send it). For an ordinary answer " +
    "just answer. Leave channel and chat_id out to send to this chat.",
  parameters: z.object({
    content: z.string().describe("The text, Markdown; may be empty with media"),
    channel: z.string().optional().describe("Channel of another chat"),
    chat_id: z.string().optional().describe("Id of another chat"),
    media: z.array(z.string()).max(ATTACHMENTS_MAX).optional().describe("Paths of files to send"),
  }),
  needs: { read: "workspace", send: true },
  concurrency: "exclusive",
  timeoutMs: 30_000,
  run: async ({ content, channel, chat_id: chatId, media = [] }, context) => {
    if (content.trim() === "" && media.length === 0) {
      throw new ToolError("arguments_invalid", "Cannot send a message without text and files");
    }
    const target = {
      channel: channel ?? context.origin.channel,
      chatId: chatId ?? context.origin.chatId,
    };
    const paths = await Promise.all(media.map((path) => attachment(path, context)));
    await context.send({ ...target, content, media: paths });
    const files = paths.length === 0 ? "" : ` with ${paths.length} file(s)`;
    return textResult(`Queued for ${target.channel}:${target.chatId}${files}`);
  },
});

async function attachment(path: string, { files }: ToolContext): Promise<string> {
  const info = await files.info(path);
  if (info?.kind === "file") return await files.resolve(path);
  const why = info === null ? "no such file" : "it is not a regular file";
  throw new ToolError("path_missing", `Cannot send "${path}": ${why}`);
}
