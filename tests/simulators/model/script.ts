/**
 * What a scripted model answers: a reply is a list of steps that become server-sent events (or
 * one whole completion), or a plain HTTP answer. All but promises and functions is JSON.
 * @module
 */

import { z } from "zod";
import type { JsonObject } from "../../../actors/kernel/json.ts";

/** A delta of one tool call, as on the wire; every part may be missing. */
export interface CallDelta {
  readonly index?: number | undefined;
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  /** A piece of the arguments' JSON text; objects are what some servers send instead. */
  readonly arguments?: string | JsonObject | undefined;
  readonly extra_content?: JsonObject | undefined;
}

/** One thing that happens on a stream. */
export type StreamStep =
  | { readonly type: "text"; readonly text: string }
  | {
    readonly type: "reasoning";
    readonly text: string;
    /** @default "reasoning_content" */
    readonly field?: "reasoning_content" | "reasoning" | undefined;
  }
  /** One chunk with these deltas of tool calls. */
  | { readonly type: "calls"; readonly deltas: readonly CallDelta[] }
  | { readonly type: "finish"; readonly reason: string }
  /** A chunk without choices that carries usage. */
  | { readonly type: "usage"; readonly usage: JsonObject }
  /** An SSE comment; with "" a bare keep-alive. */
  | { readonly type: "comment"; readonly text: string }
  /** An error inside the stream: `data: {"error": …}`. */
  | { readonly type: "error"; readonly error: JsonObject }
  /** A whole chunk as it stands. */
  | { readonly type: "chunk"; readonly chunk: JsonObject }
  /** Bytes as they stand, SSE framing included. */
  | { readonly type: "raw"; readonly text: string }
  | { readonly type: "done" }
  /** Waits for a promise, or for `server.release(gate)`. */
  | { readonly type: "pause"; readonly until: Promise<unknown> | string }
  /** Says nothing more until the client goes or the server is closed. */
  | { readonly type: "stall" }
  /** Ends without `[DONE]`: `reset` breaks the connection, `silent` closes the body properly. */
  | { readonly type: "cut"; readonly how: "reset" | "silent" };

/** An answer in steps. What is missing at the end (finish, usage, `[DONE]`) is added. */
export interface StepsReply {
  readonly steps: readonly StreamStep[];
  /** Holds back the response headers. */
  readonly headersAfter?: Promise<unknown> | string | undefined;
  /** Leaves the end as the steps have it. @default false */
  readonly isBare?: boolean | undefined;
  /** Sends one piece of JSON, also when a stream was asked for. @default false */
  readonly isWhole?: boolean | undefined;
}

/** A plain HTTP answer: errors, HTML, anything that is no completion. */
export interface HttpReply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body: string | JsonObject;
  readonly headersAfter?: Promise<unknown> | string | undefined;
}

/** What the model answers to one request. */
export type ModelReply = StepsReply | HttpReply;

/** Replies in order, or one computed from each request. */
export type ModelScript<Request> =
  | readonly ModelReply[]
  | ((request: Request) => ModelReply | Promise<ModelReply>);

/** Says `pieces`, one text delta each. */
export function say(...pieces: readonly string[]): StepsReply {
  return { steps: pieces.map((text) => ({ type: "text", text })) };
}

/** Calls one tool; the arguments come in two pieces, the id and the name in the first. */
export function callTool(
  name: string,
  parameters: JsonObject,
  options: { readonly id?: string; readonly text?: string } = {},
): StepsReply {
  return callTools([{ name, parameters, id: options.id }], { text: options.text });
}

/** Calls several tools in one answer, after `text` if there is one. */
export function callTools(
  calls: readonly {
    readonly name: string;
    readonly parameters: JsonObject;
    readonly id?: string | undefined;
  }[],
  options: { readonly text?: string | undefined } = {},
): StepsReply {
  const text: StreamStep[] = options.text === undefined
    ? []
    : [{ type: "text", text: options.text }];
  const deltas = calls.flatMap(({ name, parameters, id = `call_${name}` }, index): StreamStep[] => {
    const json = JSON.stringify(parameters);
    const middle = Math.ceil(json.length / 2);
    return [
      { type: "calls", deltas: [{ index, id, name, arguments: json.slice(0, middle) }] },
      { type: "calls", deltas: [{ index, arguments: json.slice(middle) }] },
    ];
  });
  return { steps: [...text, ...deltas] };
}

/** Answers with an HTTP error in OpenAI's shape. */
export function refuse(
  status: number,
  error: JsonObject,
  headers: Readonly<Record<string, string>> = {},
): HttpReply {
  return { status, headers, body: { error } };
}

const json = z.record(z.string(), z.json());
const callDelta = z.object({
  index: z.number().optional(),
  id: z.string().optional(),
  name: z.string().optional(),
  arguments: z.union([z.string(), json]).optional(),
  extra_content: json.optional(),
});
const step = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text: z.string() }),
  z.object({
    type: z.literal("reasoning"),
    text: z.string(),
    field: z.enum(["reasoning_content", "reasoning"]).optional(),
  }),
  z.object({ type: z.literal("calls"), deltas: z.array(callDelta) }),
  z.object({ type: z.literal("finish"), reason: z.string() }),
  z.object({ type: z.literal("usage"), usage: json }),
  z.object({ type: z.literal("comment"), text: z.string() }),
  z.object({ type: z.literal("error"), error: json }),
  z.object({ type: z.literal("chunk"), chunk: json }),
  z.object({ type: z.literal("raw"), text: z.string() }),
  z.object({ type: z.literal("done") }),
  z.object({ type: z.literal("pause"), until: z.string() }),
  z.object({ type: z.literal("stall") }),
  z.object({ type: z.literal("cut"), how: z.enum(["reset", "silent"]) }),
]);
const reply = z.union([
  z.object({
    steps: z.array(step),
    headersAfter: z.string().optional(),
    isBare: z.boolean().optional(),
    isWhole: z.boolean().optional(),
  }),
  z.object({
    status: z.number(),
    headers: z.record(z.string(), z.string()).optional(),
    body: z.union([z.string(), json]),
    headersAfter: z.string().optional(),
  }),
]);

/**
 * Reads a script that was written as JSON: an array of replies.
 *
 * @throws what zod throws when it is none
 */
export function parseScript(text: string): readonly ModelReply[] {
  return z.array(reply).parse(JSON.parse(text));
}
