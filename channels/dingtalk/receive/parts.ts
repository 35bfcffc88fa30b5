/**
 * What a message consists of: words, and files that are to be fetched.
 * @module
 */

import type { MediaKind } from "../../media/media_name.ts";
import type { RobotMessage } from "../wire.ts";

/** A file of a message. */
export interface MessageFile {
  readonly kind: MediaKind;
  /** Finds the file, for a while. */
  readonly downloadCode: string;
  /** What the sender calls it; "" where DingTalk does not tell. */
  readonly name: string;
}

/** Quoted text that is longer is cut. */
const QUOTE_CHARS_MAX = 4_000;

/** The files of a message, in order. */
export function filesOf({ msgtype, content }: RobotMessage): readonly MessageFile[] {
  const { downloadCode, fileName, videoType, recognition, richText } = content;
  switch (msgtype) {
    case "picture":
      return found([{ kind: "image", downloadCode, name: "" }]);
    case "file":
      return found([{ kind: "file", downloadCode, name: fileName }]);
    case "video": {
      const name = videoType === "" ? "" : `video.${videoType}`;
      return found([{ kind: "video", downloadCode, name }]);
    }
    case "audio":
      // DingTalk has written down what is said, as a rule.
      return recognition.trim() === ""
        ? found([{ kind: "audio", downloadCode, name: "voice.amr" }])
        : [];
    case "richText":
      return found(richText.map((piece) => ({
        kind: "image",
        downloadCode: piece.downloadCode,
        name: "",
      })));
    default:
      return [];
  }
}

function found(files: readonly MessageFile[]): readonly MessageFile[] {
  return files.filter(({ downloadCode }) => downloadCode !== "");
}

/** What a message says in words, its quote not included. */
export function wordsOf({ text, content }: RobotMessage): string {
  const own = text.content.trim();
  if (own !== "") return own;
  if (content.recognition.trim() !== "") return content.recognition.trim();
  return content.richText.map((piece) => piece.text.trim()).filter((words) => words !== "")
    .join(" ");
}

/** Whether a message says nothing. */
export function isBlank(message: RobotMessage): boolean {
  return wordsOf(message) === "" && filesOf(message).length === 0 && message.msgtype !== "text";
}

/** The line about the message that is answered; "" when nothing is, or nothing is known of it. */
export function replyLine({ text, chatbotUserId }: RobotMessage): string {
  const { isReplyMsg, repliedMsg } = text;
  if (!isReplyMsg || repliedMsg === null) return "";
  const quoted = repliedMsg.content.text.trim();
  const words = quoted.length > QUOTE_CHARS_MAX
    ? `${quoted.slice(0, QUOTE_CHARS_MAX).toWellFormed()}...`
    : quoted || repliedMsg.msgType;
  const isOfBot = repliedMsg.senderId !== "" && repliedMsg.senderId === chatbotUserId;
  return words === "" ? "" : `[Reply to${isOfBot ? " bot" : ""}: ${words}]`;
}
