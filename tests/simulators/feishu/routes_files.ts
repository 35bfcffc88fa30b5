/**
 * Routes about images and files: upload, and download of what a message holds.
 * @module
 */

import { parseOrRefuse, Refusal } from "./refusal.ts";
import { z } from "zod";
import type { FormPart } from "./multipart.ts";
import { data, type Route } from "./route.ts";
import { liveMessage } from "./routes_messages.ts";
import type { StoredFile, World } from "./world.ts";

const IMAGE_BYTES_MAX = 10 * 1024 * 1024;
const FILE_BYTES_MAX = 30 * 1024 * 1024;
const BAD_PARAMETER = 234001;
const UNDOWNLOADABLE: ReadonlySet<string> = new Set(["sticker", "merge_forward", "interactive"]);

/** First bytes of the image formats the platform takes (WEBP and TIFF by their container). */
const IMAGE_HEADS = ["89504e47", "ffd8ff", "47494638", "52494646", "424d", "49492a00", "4d4d002a"]
  .concat("00000100");

const imageFormSchema = z.object({ image_type: z.enum(["message", "avatar"]) });
const fileFormSchema = z.object({
  file_type: z.enum(["opus", "mp4", "pdf", "doc", "xls", "ppt", "stream"]),
  file_name: z.string().min(1),
  duration: z.coerce.number().int().min(0).optional(),
});

/** All of them. */
export function fileRoutes(world: World): Route[] {
  return [
    {
      name: "im.image.create",
      scopes: ["im:resource", "im:resource:upload"],
      method: "POST",
      path: "/open-apis/im/v1/images",
      handle({ form }) {
        parseOrRefuse(imageFormSchema, formFields(form), BAD_PARAMETER);
        const bytes = uploaded(form, "image", IMAGE_BYTES_MAX);
        const head = bytes.subarray(0, 8).toHex();
        if (!IMAGE_HEADS.some((known) => head.startsWith(known))) {
          throw new Refusal(234011, "Can't recognize the image format.");
        }
        const key = world.newId("img_v3_");
        return data({ image_key: keep(world, { key, type: "image", name: "image", bytes }) });
      },
    },
    {
      name: "im.file.create",
      scopes: ["im:resource", "im:resource:upload"],
      method: "POST",
      path: "/open-apis/im/v1/files",
      handle({ form }) {
        const fields = parseOrRefuse(fileFormSchema, formFields(form), BAD_PARAMETER);
        const bytes = uploaded(form, "file", FILE_BYTES_MAX);
        const key = world.newId("file_v3_");
        const { file_type: type, file_name: name, duration } = fields;
        return data({ file_key: keep(world, { key, type, name, bytes }, duration) });
      },
    },
    {
      name: "im.messageResource.get",
      scopes: ["im:resource", "im:message", "im:message:readonly"],
      method: "GET",
      path: "/open-apis/im/v1/messages/:message_id/resources/:file_key",
      handle({ params, query }) {
        const message = liveMessage(world, params["message_id"] ?? "", 234003);
        const file = world.files.get(params["file_key"] ?? "");
        if (UNDOWNLOADABLE.has(message.msgType) || message.upperMessageId !== undefined) {
          throw new Refusal(234043, "Unsupported message type.");
        }
        if (file === undefined || !message.content.includes(`"${file.key}"`)) {
          throw new Refusal(234003, "File not in msg.");
        }
        if (query.get("type") !== (file.type === "image" ? "image" : "file")) {
          throw new Refusal(BAD_PARAMETER, "Invalid request param: type");
        }
        const name = encodeURIComponent(file.name);
        return {
          kind: "bytes",
          bytes: file.bytes,
          headers: {
            "content-type": file.type === "image" ? "image/png" : "application/octet-stream",
            "content-disposition": `attachment; filename="${name}"; filename*=UTF-8''${name}`,
          },
        };
      },
    },
  ];
}

function formFields(form: readonly FormPart[]): Record<string, string> {
  const texts = form.filter(({ name }) => name !== "image" && name !== "file");
  return Object.fromEntries(
    texts.map(({ name, bytes }) => [name, new TextDecoder().decode(bytes)]),
  );
}

function uploaded(
  form: readonly FormPart[],
  name: string,
  bytesMax: number,
): Uint8Array<ArrayBuffer> {
  const part = form.find((candidate) => candidate.name === name);
  if (part === undefined) throw new Refusal(BAD_PARAMETER, `Invalid request param: ${name}`);
  if (part.bytes.length === 0) throw new Refusal(234010, "File's size can't be 0.");
  if (part.bytes.length > bytesMax) {
    throw new Refusal(234006, "The file size exceed the max value.");
  }
  return part.bytes;
}

function keep(world: World, file: Omit<StoredFile, "durationMs">, durationMs?: number): string {
  world.files.set(file.key, { ...file, durationMs });
  return file.key;
}
