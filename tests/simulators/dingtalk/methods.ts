/**
 * The calls that need a token, with the limits that the documentation names.
 * @module
 */

import { z } from "zod";
import type { JsonObject, JsonValue } from "../../../actors/kernel/json.ts";
import { parseMultipart } from "../feishu/multipart.ts";
import type { Rates } from "./rates.ts";
import { Refusal } from "./refusal.ts";
import type { StoredFile, World } from "./world.ts";

const MESSAGE_BYTES_MAX = 20_000;
const MEGABYTE = 1024 * 1024;
/** Bytes that each folder takes. */
const UPLOAD_BYTES_MAX = {
  image: 20 * MEGABYTE,
  voice: 2 * MEGABYTE,
  video: 20 * MEGABYTE,
  file: 20 * MEGABYTE,
} as const;
/** How pictures begin: PNG, JPEG, GIF, BMP. */
const PICTURE = /^(?:\x89PNG|\xFF\xD8\xFF|GIF8|BM)/;

/** What calls work on. */
export interface CallScene {
  readonly world: World;
  readonly rates: Rates;
  readonly robotCode: string;
  /** The platform's own address. */
  readonly url: string;
  /** Something that the documentation forbids. */
  readonly onViolation: (what: string) => void;
}

/** Handles a call; throws a refusal. */
type Method = (body: unknown, scene: CallScene) => JsonValue;

/** The calls by path. */
export const METHODS: Readonly<Record<string, Method>> = {
  "/v1.0/robot/oToMessages/batchSend": sendToPeople,
  "/v1.0/robot/groupMessages/send": sendToGroup,
  "/v1.0/robot/messageFiles/download": findFile,
  "/v1.0/robot/emotion/reply": react,
  "/v1.0/robot/emotion/recall": takeBack,
};

const contentShape = { robotCode: z.string(), msgKey: z.string(), msgParam: z.string() };
const peopleSchema = z.object({ ...contentShape, userIds: z.array(z.string()).min(1).max(20) });
const groupSchema = z.object({ ...contentShape, openConversationId: z.string() });

function sendToPeople(body: unknown, scene: CallScene): JsonValue {
  const call = read(peopleSchema, body);
  const { people } = scene.world;
  const invalid = call.userIds.filter((id) => !people.has(id));
  const controlled = call.userIds.filter((id) => people.get(id)?.isFlowControlled === true);
  const reached = call.userIds.filter((id) => !invalid.includes(id) && !controlled.includes(id));
  const keys = reached.map((to) => add(to, call, scene));
  return {
    processQueryKey: keys[0] ?? "key-of-nothing",
    invalidStaffIdList: invalid,
    flowControlledStaffIdList: controlled,
  };
}

function sendToGroup(body: unknown, scene: CallScene): JsonValue {
  const call = read(groupSchema, body);
  const group = scene.world.groups.get(call.openConversationId);
  if (group === undefined) throw new Refusal(400, "miss.openConversationId", "no such group");
  if (!group.isRobotInside) throw new Refusal(400, "robot.not.in.group", "robot 不存在");
  scene.rates.groupMessage(group.conversationId);
  return { processQueryKey: add(group.conversationId, call, scene) };
}

function add(
  to: string,
  { robotCode, msgKey, msgParam }: {
    readonly robotCode: string;
    readonly msgKey: string;
    readonly msgParam: string;
  },
  { world, robotCode: known, onViolation }: CallScene,
): string {
  if (robotCode !== known) throw new Refusal(400, "resource.not.found", "robot 不存在");
  if (new TextEncoder().encode(msgParam).length > MESSAGE_BYTES_MAX) {
    onViolation("a message that is too long");
    throw new Refusal(400, "msgParam.too.long", "message too long, exceed 20000 bytes");
  }
  const param = z.record(z.string(), z.string()).parse(JSON.parse(msgParam));
  const id = `query-${world.messages.length + 1}`;
  world.messages.push({ id, to, msgKey, param, file: fileIn(msgKey, param, world) });
  return id;
}

const PARAMS: Readonly<Record<string, readonly string[]>> = {
  sampleText: ["content"],
  sampleMarkdown: ["title", "text"],
  sampleImageMsg: ["photoURL"],
  sampleFile: ["mediaId", "fileName", "fileType"],
};

function fileIn(
  msgKey: string,
  param: Readonly<Record<string, string>>,
  { uploads }: World,
): StoredFile | undefined {
  const needed = PARAMS[msgKey];
  if (needed === undefined) throw new Refusal(400, "invalidParameter.msgKey", msgKey);
  for (const name of needed) {
    if ((param[name] ?? "").trim() === "") {
      throw new Refusal(400, "invalidParameter.param", `${name} is blank`);
    }
  }
  const mediaId = param["photoURL"] ?? param["mediaId"];
  if (mediaId === undefined) return undefined;
  const file = uploads.get(mediaId);
  if (file === undefined) throw new Refusal(400, "invalidParameter.mediaId", "no such media");
  return { ...file, name: param["fileName"] ?? "" };
}

function findFile(body: unknown, { world, url, robotCode }: CallScene): JsonValue {
  const call = read(z.object({ downloadCode: z.string(), robotCode: z.string() }), body);
  if (call.robotCode !== robotCode || !world.files.has(call.downloadCode)) {
    throw new Refusal(400, "invalidParameter.downloadCode", "unknown downloadCode");
  }
  const here = `${url}/files/${call.downloadCode}`;
  return { downloadUrl: world.addresses.get(call.downloadCode) ?? here };
}

const reactionSchema = z.object({
  robotCode: z.string(),
  openMsgId: z.string(),
  openConversationId: z.string(),
  emotionType: z.literal(2),
  emotionName: z.string(),
  textEmotion: z.object({
    emotionId: z.string(),
    emotionName: z.string(),
    text: z.string(),
    backgroundId: z.string(),
  }),
});

function react(body: unknown, { world }: CallScene): JsonValue {
  const { openMsgId, textEmotion } = read(reactionSchema, body);
  world.reactions.set(openMsgId, [...world.reactions.get(openMsgId) ?? [], textEmotion.text]);
  return { success: true };
}

function takeBack(body: unknown, { world }: CallScene): JsonValue {
  const { openMsgId, textEmotion } = read(reactionSchema, body);
  const left = (world.reactions.get(openMsgId) ?? []).filter((text) => text !== textEmotion.text);
  world.reactions.set(openMsgId, left);
  return { success: true };
}

/** Takes a file of the older API's; its errors are numbers. */
export async function upload(
  request: Request,
  { world, onViolation }: CallScene,
): Promise<JsonObject> {
  const type = new URL(request.url).searchParams.get("type") ?? "";
  const body = new Uint8Array(await request.arrayBuffer());
  const form = parseMultipart(request.headers.get("content-type") ?? "", body);
  const part = form.find(({ name }) => name === "media");
  if (part?.fileName === undefined) return { errcode: 40035, errmsg: "no media" };
  if (!isFolder(type)) return { errcode: 40004, errmsg: "invalid media type" };
  const { bytes, fileName } = part;
  const name = decodeURIComponent(fileName);
  if (bytes.length > UPLOAD_BYTES_MAX[type]) {
    onViolation(`a file of ${bytes.length} bytes as ${type}`);
    return { errcode: 40009, errmsg: "invalid media size" };
  }
  const head = String.fromCharCode(...bytes.subarray(0, 4));
  const isFitting = type === "image" ? PICTURE.test(head) : !/\.html?$/i.test(name);
  if (bytes.length === 0 || !isFitting) return { errcode: 40005, errmsg: "invalid file type" };
  const mediaId = `@media${world.uploads.size + 1}`;
  world.uploads.set(mediaId, { name, bytes });
  return { errcode: 0, errmsg: "ok", media_id: mediaId, type, created_at: 1 };
}

function isFolder(type: string): type is keyof typeof UPLOAD_BYTES_MAX {
  return type in UPLOAD_BYTES_MAX;
}

function read<T>(schema: z.ZodType<T>, body: unknown): T {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  throw new Refusal(400, "invalidParameter", parsed.error.message);
}
