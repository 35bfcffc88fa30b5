/**
 * Received messages that carry a few fields instead of text: places, meetings, votes, and the
 * platform's own notices. Each becomes a sentence in brackets.
 * @module
 */

import { z } from "zod";
import { bracketed } from "../../media/bracketed.ts";
import { plainText } from "./parts.ts";
import { readPost } from "./post.ts";

/** Numbers come as text or as numbers, whichever the platform's version likes. */
const word = z.union([z.string(), z.number().transform(String)]).catch("");
const words = z.array(word).catch([]);

const fieldsSchema = z.object({
  chat_id: word,
  user_id: word,
  event_key: word,
  file_name: word,
  summary: z.unknown().optional(),
  start_time: word,
  end_time: word,
  due_time: word,
  topic: word,
  name: word,
  longitude: word,
  latitude: word,
  options: words,
  text: word,
  template: word,
}).catchall(z.unknown());

type Fields = z.infer<typeof fieldsSchema>;

const NO_FIELDS: Fields = fieldsSchema.parse({});

/** The sentence for a message of this type; for one of no known type its name. */
export function readNotice(messageType: string, decoded: unknown): string {
  const fields = fieldsSchema.safeParse(decoded).data ?? NO_FIELDS;
  switch (messageType) {
    case "folder":
      return bracketed("folder", fields.file_name);
    case "share_chat":
      return bracketed("shared chat", fields.chat_id);
    case "share_user":
      return bracketed("shared user", fields.user_id);
    case "share_calendar_event":
      return bracketed("shared calendar event", calendarEvent(fields));
    case "calendar":
    case "general_calendar":
      return bracketed("calendar event", calendarEvent(fields));
    case "location":
      return bracketed("location", place(fields));
    case "video_chat":
      return bracketed("video meeting", list([fields.topic, when("starts", fields.start_time)]));
    case "todo":
      return bracketed("task", list([summaryOf(fields), when("due", fields.due_time)]));
    case "vote":
      return bracketed("vote", vote(fields));
    case "hongbao":
      return bracketed("red packet", fields.text);
    case "system":
      return bracketed("system message", systemText(fields));
    default:
      return bracketed(messageType || "message", "");
  }
}

function calendarEvent(fields: Fields): string {
  const times = [timeText(fields.start_time), timeText(fields.end_time)].filter((t) => t !== "");
  return list([summaryOf(fields) || fields.event_key, times.join(" to ")]);
}

function place({ name, latitude, longitude }: Fields): string {
  return list([name, list([latitude, longitude], " ")]);
}

function vote({ topic, options }: Fields): string {
  const choices = options.filter((option) => option !== "").join("; ");
  return choices === "" ? topic : `${topic} (${choices})`;
}

/** A plain text, or a post. */
function summaryOf({ summary }: Fields): string {
  return typeof summary === "string" ? summary : plainText(readPost(summary, new Set()));
}

/** The template with what its placeholders stand for: `{from_user} invited {to_chatters}`. */
function systemText(fields: Fields): string {
  return fields.template.replace(/\{(\w+)\}/g, (placeholder, name: string) => {
    const value = fields[name];
    const names = z.union([words, word.transform((one) => [one])]).parse(value);
    return names.filter((one) => one !== "").join(", ") || placeholder;
  });
}

function when(verb: string, time: string): string {
  const text = timeText(time);
  return text === "" ? "" : `${verb} ${text}`;
}

/** Epoch milliseconds as `2026-01-31 08:30 UTC`; "" for what is no time. */
function timeText(time: string): string {
  const epochMs = Number(time);
  if (time.trim() === "" || !Number.isFinite(epochMs) || Math.abs(epochMs) > 8.64e15) return time;
  return `${new Date(epochMs).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

function list(items: readonly string[], separator: string = ", "): string {
  return items.map((item) => item.trim()).filter((item) => item !== "").join(separator);
}
