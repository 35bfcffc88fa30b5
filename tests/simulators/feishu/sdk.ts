/**
 * The official SDK as the simulator's own tests use it: unmodified, quiet, and closed at the end.
 * @module
 */

import { Client, EventDispatcher, LoggerLevel, WSClient } from "@larksuiteoapi/node-sdk";
import { z } from "zod";
import type { FeishuPlatform } from "../feishu_server.ts";

/** Drops what the SDK logs: failures in these tests are planned, and its logs hold secrets. */
export const quietLogger: Record<"error" | "warn" | "info" | "debug" | "trace", () => void> = {
  error: () => {},
  warn: () => {},
  info: () => {},
  debug: () => {},
  trace: () => {},
};

/** A REST client for the platform's app, or for another one. */
export function sdkClient(
  platform: FeishuPlatform,
  { appId, appSecret }: { readonly appId: string; readonly appSecret: string } = platform.app,
): Client {
  return new Client({
    appId,
    appSecret,
    domain: platform.url,
    logger: quietLogger,
    loggerLevel: LoggerLevel.fatal,
  });
}

/** What handles received messages; throws to refuse. */
export type Receive = (event: unknown) => unknown;

/** A long connection of the SDK; forced shut when disposed. */
export async function sdkConnection(
  platform: FeishuPlatform,
  receive: Receive,
  { encryptKey = "" }: { readonly encryptKey?: string } = {},
): Promise<WSClient & Disposable> {
  const eventDispatcher = new EventDispatcher({ encryptKey, logger: quietLogger }).register({
    "im.message.receive_v1": (event) => receive(event),
  });
  const client = new WSClient({
    appId: platform.app.appId,
    appSecret: platform.app.appSecret,
    domain: platform.url,
    logger: quietLogger,
    loggerLevel: LoggerLevel.fatal,
  });
  await client.start({ eventDispatcher });
  await platform.connected();
  return Object.assign(client, { [Symbol.dispose]: () => client.close({ force: true }) });
}

/** Sends a text to a person (`ou_…`) or a chat (`oc_…`). */
export function sendText(
  client: Client,
  to: string,
  text: string,
  { uuid }: { readonly uuid?: string } = {},
): ReturnType<Client["im"]["message"]["create"]> {
  return client.im.message.create({
    params: { receive_id_type: to.startsWith("oc_") ? "chat_id" : "open_id" },
    data: {
      receive_id: to,
      msg_type: "text",
      content: JSON.stringify({ text }),
      ...(uuid !== undefined && { uuid }),
    },
  });
}

const refusalSchema = z.object({
  response: z.object({
    status: z.number(),
    data: z.object({ code: z.number(), msg: z.string() }),
    headers: z.looseObject({}),
  }),
});

/** A refusal as the SDK throws it. */
export interface SdkRefusal {
  readonly status: number;
  readonly code: number;
  readonly message: string;
  readonly headers: Readonly<Record<string, unknown>>;
}

/** The refusal of a request that must be refused. */
export async function refusal(request: Promise<unknown>): Promise<SdkRefusal> {
  const outcome = await request.then(() => undefined, (error: unknown) => error);
  const { status, data, headers } = refusalSchema.parse(outcome).response;
  return { status, code: data.code, message: data.msg, headers };
}

/** The same as `status/code`. */
export async function refusalOf(request: Promise<unknown>): Promise<string> {
  const { status, code } = await refusal(request);
  return `${status}/${code}`;
}
