/**
 * Messages that can be told apart to the end: each carries a mark, the model names in every answer
 * the marks that it answers, and each mark may run one command.
 * @module
 */

import { join } from "node:path";
import type { GatewayHome } from "../support/gateway_process.ts";
import type { MessageView } from "../simulators/feishu_server.ts";
import {
  callTool,
  type ModelReply,
  type RecordedRequest,
  say,
} from "../simulators/model_server.ts";

const MARK = /mark\d+(?!\d)/g;
/** A mark whose message wants a command, in a user message that may hold several. */
const WANTED = /mark\d+(?= please run the command)/g;
/** What the gateway tells of a message: what it remembers there quotes the marks of other chats. */
const CONTEXT = /\[Runtime context[^]*?\[\/Runtime context\]/g;
/** Where the commands note that they ran. */
const RUNS_FILE = "runs";

/** A message with its mark; with a command the model is to run one before it answers. */
export function marked(number: number, { runsCommand }: { readonly runsCommand: boolean }): string {
  return `mark${number} please ${runsCommand ? "run the command" : "answer"}`;
}

/** What the model answers: a command first where one is wanted and none was called, then the marks. */
export function answerMarks({ body: { messages } }: Pick<RecordedRequest, "body">): ModelReply {
  const lastAnswer = messages.findLastIndex(({ role, tool_calls: calls }) =>
    role === "assistant" && !Array.isArray(calls)
  );
  const open = messages.slice(lastAnswer + 1);
  const asked = open.filter(({ role }) => role === "user").map(({ content }) =>
    JSON.stringify(content).replaceAll(CONTEXT, "")
  );
  const marks = asked.flatMap((text) => text.match(MARK) ?? []);
  // Also before the last answer: what goes on alone comes after the answers of others.
  const called = messages.filter(({ role }) => role === "assistant")
    .flatMap(({ tool_calls: calls }) => JSON.stringify(calls ?? []).match(MARK) ?? []);
  const wanted = asked.flatMap((text) => text.match(WANTED) ?? [])
    .find((mark) => !called.includes(mark));
  if (wanted !== undefined) {
    return callTool("exec", { command: `echo '${wanted}' >> ${RUNS_FILE}` }, { id: wanted });
  }
  return say("answered ", marks.join(" "));
}

/** What a platform shows, as far as answers go. */
export interface SeenChats {
  readonly chats: readonly {
    readonly fromBot: readonly Pick<MessageView, "text" | "card">[];
  }[];
}

/** How often each mark was answered on the platform, in closed messages only. */
export function answersByMark(platform: SeenChats): Map<string, number> {
  const counts = new Map<string, number>();
  for (const chat of platform.chats) {
    for (const { text, card } of chat.fromBot) {
      if (card?.isStreaming === true) continue;
      for (const mark of text.match(MARK) ?? []) counts.set(mark, (counts.get(mark) ?? 0) + 1);
    }
  }
  return counts;
}

/** How often the command of each mark ran. */
export async function runsByMark(home: GatewayHome): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  const text = await Deno.readTextFile(join(home.workspace, RUNS_FILE)).catch(() => "");
  for (const mark of text.match(MARK) ?? []) counts.set(mark, (counts.get(mark) ?? 0) + 1);
  return counts;
}

/** What is wrong with the session files: every line must be well-formed and in its place. */
export async function faultsInSessions(home: GatewayHome): Promise<string[]> {
  const faults: string[] = [];
  for await (const { name } of Deno.readDir(join(home.workspace, "sessions"))) {
    if (name.endsWith(".corrupt")) faults.push(`${name}: damaged lines`);
    if (!name.endsWith(".jsonl")) continue;
    const lines = await home.session(name.slice(0, -".jsonl".length));
    const messages = lines.filter(({ _type: type }) => type === undefined);
    faults.push(...faultsOf(messages).map((fault) => `${name}: ${fault}`));
  }
  return faults;
}

function faultsOf(messages: readonly Readonly<Record<string, unknown>>[]): string[] {
  // What was set aside, and tried again later, stands once more.
  const aside = messages.flatMap(({ set_aside: ids }) => Array.isArray(ids) ? ids : []);
  const faults: string[] = [];
  const lineIds = messages.map(({ line_id: id }) => id).filter((id) => typeof id === "string");
  if (new Set(lineIds).size !== lineIds.length) faults.push("a line stands twice");
  const users = messages.filter(({ role, line_id: id }) => role === "user" && !aside.includes(id))
    .flatMap(({ content }) => JSON.stringify(content).match(MARK) ?? []);
  if (new Set(users).size !== users.length) faults.push("a message stands twice");
  const calls = messages.flatMap(({ tool_calls: asked }) => Array.isArray(asked) ? asked : [])
    .map((call: { id?: unknown }) => String(call.id));
  const results = messages.filter(({ role }) => role === "tool")
    .map(({ tool_call_id: id }) => String(id));
  if (calls.toSorted().join() !== results.toSorted().join()) {
    faults.push(`calls ${calls.join()} have results ${results.join()}`);
  }
  return faults;
}
