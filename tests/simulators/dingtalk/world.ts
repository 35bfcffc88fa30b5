/**
 * What the platform knows: people, groups, messages, files.
 * @module
 */

import type { JsonObject } from "../../../actors/kernel/json.ts";

/** Somebody of the robot's organization. */
export interface Person {
  readonly staffId: string;
  readonly nick: string;
  /** Got more than DingTalk lets through. */
  isFlowControlled: boolean;
}

/** A group with the robot in it. */
export interface Group {
  readonly conversationId: string;
  readonly title: string;
  /** The robot is brought everything, not only what mentions it. */
  readonly hearsAll: boolean;
  isRobotInside: boolean;
}

/** A file as it was uploaded, or sent by a person. */
export interface StoredFile {
  readonly name: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** A message of the robot's. */
export interface StoredMessage {
  readonly id: string;
  /** A staff id, or a group's conversation id. */
  readonly to: string;
  readonly msgKey: string;
  readonly param: JsonObject;
  readonly file: StoredFile | undefined;
}

/** All there is. */
export class World {
  readonly people: Map<string, Person> = new Map();
  readonly groups: Map<string, Group> = new Map();
  readonly messages: StoredMessage[] = [];
  /** Of the robot, by media id. */
  readonly uploads: Map<string, StoredFile> = new Map();
  /** Of people, by download code. */
  readonly files: Map<string, StoredFile> = new Map();
  /** Where each of them lies, when that is not here. */
  readonly addresses: Map<string, string> = new Map();
  /** Reactions of the robot's, by the message they stand at. */
  readonly reactions: Map<string, string[]> = new Map();
}
