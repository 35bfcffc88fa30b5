/**
 * The calls of DingTalk that the channel makes, with the app's token.
 * @module
 */

import type { Clock } from "../../actors/kernel/clock.ts";
import type { JsonObject } from "../../actors/kernel/json.ts";
import type { z } from "zod";
import { AccessToken } from "../access_token.ts";
import {
  DingTalkRefusedError,
  DingTalkUnreachableError,
  isAmbiguous,
  isStaleToken,
} from "./errors.ts";
import type { DingTalkCall, DingTalkLink, Upload } from "./link.ts";
import type { DingTalkSection } from "./manifest.ts";
import {
  fileAddressSchema,
  sendAnswerSchema,
  streamSchema,
  tokenSchema,
  uploadSchema,
} from "./wire.ts";

/** What the robot's messages come under. */
export const ROBOT_TOPIC = "/v1.0/im/bot/messages/get";

/** Where a message goes: one of both. */
export type Place = { readonly conversationId: string } | { readonly userId: string };

/** A message by its template and what goes into that. */
export interface RobotContent {
  readonly msgKey: "sampleMarkdown" | "sampleText" | "sampleImageMsg" | "sampleFile";
  readonly msgParam: JsonObject;
}

/** A message of a person's, for a reaction. */
export interface ReactionTarget {
  readonly messageId: string;
  readonly conversationId: string;
}

/**
 * Calls for one app. All throw {@link DingTalkRefusedError} and {@link DingTalkUnreachableError},
 * and the signal's reason.
 */
export class DingTalkApi {
  readonly #section: DingTalkSection;
  readonly #link: Pick<DingTalkLink, "post" | "upload">;
  readonly #token: AccessToken;

  /** @param signal ends the fetching of tokens */
  constructor(
    section: DingTalkSection,
    link: Pick<DingTalkLink, "post" | "upload">,
    { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
  ) {
    this.#section = section;
    this.#link = link;
    this.#token = new AccessToken({
      clock,
      signal,
      fetch: async (ending) => {
        const body = { appKey: section.clientId, appSecret: section.clientSecret };
        const action = "sign in";
        const call = { path: "/v1.0/oauth2/accessToken", body };
        const posted = await link.post(call, ending).catch((error) => {
          throw isAmbiguous(error) ? notSignedIn(error) : error;
        });
        const answer = read(action, tokenSchema, posted);
        return { token: answer.accessToken, lifeMs: answer.expireIn * 1_000 };
      },
    });
  }

  /** Makes sure that the app can sign in. */
  async signIn(signal: AbortSignal): Promise<void> {
    await this.#token.get(signal);
  }

  /** The address of a new stream, good for one connection. */
  async streamAddress(signal: AbortSignal): Promise<string> {
    const { clientId, clientSecret } = this.#section;
    const subscriptions = [{ type: "CALLBACK", topic: ROBOT_TOPIC }];
    const body = { clientId, clientSecret, subscriptions, ua: "troupe" };
    const call = { path: "/v1.0/gateway/connections/open", body };
    const { endpoint, ticket } = read(
      "open a stream",
      streamSchema,
      await this.#link.post(call, signal),
    );
    const url = new URL(endpoint);
    url.searchParams.set("ticket", ticket);
    return url.href;
  }

  /** Sends a message, once. @returns its key, by which DingTalk tells of it */
  async send(
    place: Place,
    { msgKey, msgParam }: RobotContent,
    signal: AbortSignal,
  ): Promise<string> {
    const isGroup = "conversationId" in place;
    const where = isGroup
      ? { openConversationId: place.conversationId }
      : { userIds: [place.userId] };
    const path = isGroup ? "/v1.0/robot/groupMessages/send" : "/v1.0/robot/oToMessages/batchSend";
    const body = {
      robotCode: this.robotCode,
      ...where,
      msgKey,
      msgParam: JSON.stringify(msgParam),
    };
    const action = "send a message";
    const answer = await this.#call({ path, body, isOnce: true }, signal);
    const sent = read(action, sendAnswerSchema, answer);
    const refusal = refusalIn(sent);
    if (refusal !== null) throw new DingTalkRefusedError(action, { status: 200, ...refusal });
    return sent.processQueryKey;
  }

  /** Uploads a file. @returns the id by which messages name it */
  upload(file: Upload, signal: AbortSignal): Promise<string> {
    const work = async (token: string): Promise<string> =>
      read("upload a file", uploadSchema, await this.#link.upload(file, token, signal));
    return this.#token.use(work, isStaleToken, signal);
  }

  /** Where a file of a person's can be fetched, for a while. */
  async fileAddress(downloadCode: string, signal: AbortSignal): Promise<string> {
    const body = { downloadCode, robotCode: this.robotCode };
    const answer = await this.#call({ path: "/v1.0/robot/messageFiles/download", body }, signal);
    return read("find a file", fileAddressSchema, answer).downloadUrl;
  }

  /** Puts a reaction on a message. */
  async react(target: ReactionTarget, words: string, signal: AbortSignal): Promise<void> {
    const body = this.#reaction(target, words);
    await this.#call({ path: "/v1.0/robot/emotion/reply", body }, signal);
  }

  /** Takes a reaction away. */
  async takeBack(target: ReactionTarget, words: string, signal: AbortSignal): Promise<void> {
    const body = this.#reaction(target, words);
    await this.#call({ path: "/v1.0/robot/emotion/recall", body }, signal);
  }

  /** By which DingTalk knows the robot. */
  get robotCode(): string {
    return this.#section.robotCode || this.#section.clientId;
  }

  /** Reactions are words on a background of DingTalk's, both by their ids. */
  #reaction({ messageId, conversationId }: ReactionTarget, words: string): JsonObject {
    return {
      robotCode: this.robotCode,
      openMsgId: messageId,
      openConversationId: conversationId,
      emotionType: 2,
      emotionName: words,
      textEmotion: {
        emotionId: "2659900",
        emotionName: words,
        text: words,
        backgroundId: "im_bg_1",
      },
    };
  }

  #call(call: DingTalkCall, signal: AbortSignal): Promise<unknown> {
    const work = (token: string): Promise<unknown> => this.#link.post({ ...call, token }, signal);
    return this.#token.use(work, isStaleToken, signal);
  }
}

/** The one to whom it goes got nothing. */
function refusalIn(
  sent: z.output<typeof sendAnswerSchema>,
): { readonly reason: string; readonly description: string } | null {
  if (sent.flowControlledStaffIdList.length > 0) {
    return { reason: "FlowControlled", description: "this person got too many messages" };
  }
  return sent.invalidStaffIdList.length > 0
    ? { reason: "InvalidStaffId", description: "DingTalk knows no such person" }
    : null;
}

/** Whatever became of a sign-in: what it was for was not done. */
function notSignedIn(error: unknown): DingTalkUnreachableError {
  const reason = error instanceof Error ? error.message : String(error);
  return new DingTalkUnreachableError("sign in", { reason, isInDoubt: false }, { cause: error });
}

/** @throws {DingTalkUnreachableError} for what is no answer: the call may have had its effect */
function read<T>(action: string, schema: z.ZodType<T>, answer: unknown): T {
  const parsed = schema.safeParse(answer);
  if (parsed.success) return parsed.data;
  const reason = "the answer cannot be read";
  throw new DingTalkUnreachableError(action, { reason, isInDoubt: true }, { cause: parsed.error });
}
