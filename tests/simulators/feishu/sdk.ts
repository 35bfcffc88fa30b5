/**
 * The official SDK as the simulator's own tests use it: unmodified, quiet, and closed at the end.
 * @module
 */

import { Client, EventDispatcher, LoggerLevel, WSClient } from "@larksuiteoapi/node-sdk";
import type { FeishuPlatform } from "../feishu_server.ts";

const silentLogger = {
  error: () => {},
  warn: () => {},
  info: () => {},
  debug: () => {},
  trace: () => {},
};

/** A REST client for the platform's app. */
export function sdkClient(platform: FeishuPlatform): Client {
  return new Client({
    appId: platform.app.appId,
    appSecret: platform.app.appSecret,
    domain: platform.url,
    logger: silentLogger,
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
  const eventDispatcher = new EventDispatcher({ encryptKey, logger: silentLogger }).register({
    "im.message.receive_v1": (event) => receive(event),
  });
  const client = new WSClient({
    appId: platform.app.appId,
    appSecret: platform.app.appSecret,
    domain: platform.url,
    logger: silentLogger,
    loggerLevel: LoggerLevel.fatal,
  });
  await client.start({ eventDispatcher });
  await platform.connected();
  return Object.assign(client, { [Symbol.dispose]: () => client.close({ force: true }) });
}
