/**
 * Runs single tool calls of a turn, and makes of whatever happens a result for the model.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import type { RequestedCall, ToolMessage } from "../../providers/provider.ts";
import { asError } from "../kernel/errors.ts";
import type { NewId } from "../kernel/random.ts";
import type { ToolContext, ToolMessageOut, ToolOrigin, ToolResult } from "../tools/tool.ts";
import { countCall } from "../tools/read_notes.ts";
import { untilAborted } from "../kernel/aborting.ts";
import type { CallAudit } from "./call_audit.ts";
import type { GuardedCall } from "./guarded_call.ts";
import { LookupGuard } from "./lookup_guard.ts";
import type { SessionServices } from "./ports.ts";
import type { StepInputs } from "./record/step_inputs.ts";
import type { CallPlace } from "./tool_messages.ts";
import type { TurnListener } from "./turn_events.ts";
import { fitOptions, fitResult } from "./tool_result.ts";
import { CallHooks } from "./turn_hooks.ts";
import { brokenTool, invalidArguments, repeatedLookup, tooManyCalls } from "./wording.ts";

const logger = getLogger(["troupe", "session", "call_runner"]);

/** Calls of one answer that are run; a model that asks for more has lost its way. */
const CALLS_PER_ANSWER_MAX = 64;

/** What a turn gives its calls. */
export interface CallRunnerOptions {
  readonly services: Pick<
    SessionServices,
    "tools" | "toolContext" | "settings" | "newId" | "clock" | "hooks"
  >;
  readonly origin: ToolOrigin;
  readonly reads: Map<string, string>;
  readonly audit: CallAudit;
  /** Hears of calls and results. @default nobody does */
  readonly listener?: TurnListener | undefined;
  /** Where it is noted what calls gave. @default nowhere */
  readonly inputs?: StepInputs;
  /** What the calls of a session reach of it. @default nothing */
  readonly reach?: SessionReach;
  /** Why a call may not run, as its result; null when it may. Asks an owner where rules say so. */
  readonly refusal: (call: GuardedCall, signal: AbortSignal) => Promise<string | null>;
}

/** What calls reach of their session. */
export interface SessionReach {
  readonly tools: Pick<ToolContext, "subagents" | "own" | "goal">;
  /** A call may have given the turn's permit back, to wait without it. */
  readonly ensurePermit: (signal: AbortSignal) => Promise<void>;
}

/** What one call runs with. */
export interface CallScene extends Pick<ToolContext, "send" | "signal" | "report"> {
  readonly place: CallPlace;
}

/** Runs the calls of one turn. */
export class CallRunner {
  readonly #options: CallRunnerOptions;
  readonly #guard = new LookupGuard();
  readonly #hooks: CallHooks;
  #callsOfAnswer = 0;

  constructor(options: CallRunnerOptions) {
    this.#options = options;
    this.#hooks = new CallHooks(options.services, options.origin);
  }

  /** The calls that come now are of another answer. */
  beginAnswer(): void {
    this.#callsOfAnswer = 0;
  }

  /**
   * Runs a call; every failure is a result.
   *
   * @throws the signal's reason when it aborts
   */
  async run(requested: RequestedCall, scene: CallScene): Promise<ToolMessage> {
    const { call, parsed } = requested;
    const { name } = call.function;
    const args = parsed.state === "invalid" ? {} : parsed.value;
    const guarded = { tool: name, args, callId: call.id, place: scene.place };
    const { listener } = this.#options;
    listener?.({ type: "tool_called", callId: call.id, tool: name, args });
    const sent: ToolMessageOut[] = [];
    const send: ToolContext["send"] = async (message) => {
      await scene.send(message);
      sent.push(message);
    };
    const result = await this.#hooks.around(guarded, () =>
      this.#options.audit.around(
        { id: call.id, tool: name, args },
        () => this.#result(requested, guarded, { ...scene, send }),
      ));
    let file: string | undefined;
    const newId = () => file = this.#options.services.newId();
    const content = await this.#fit(name, result, newId);
    this.#options.inputs?.ran(guarded, { result, fitted: content, file, sent });
    const { isError } = result;
    const text = textOf(content);
    listener?.({ type: "tool_ended", callId: call.id, tool: name, isError, text });
    return { role: "tool", tool_call_id: call.id, name, content };
  }

  async #result(
    { parsed }: RequestedCall,
    guarded: GuardedCall,
    scene: CallScene,
  ): Promise<ToolResult> {
    const { tool: name } = guarded;
    const { signal } = scene;
    if (++this.#callsOfAnswer > CALLS_PER_ANSWER_MAX) {
      return failure(tooManyCalls(CALLS_PER_ANSWER_MAX));
    }
    if (parsed.state === "invalid") return failure(invalidArguments(name, parsed.problem));
    if (this.#guard.isRepetition(name, parsed.value)) return failure(repeatedLookup(name));
    const refusal = await this.#hooks.refusal(guarded, signal) ??
      await this.#options.refusal(guarded, signal);
    return refusal === null ? await this.#execute(guarded, scene) : failure(refusal);
  }

  async #execute(
    { tool: name, args: parameters, callId }: GuardedCall,
    { send, signal, report }: CallScene,
  ): Promise<ToolResult> {
    const { services, origin, reads, reach } = this.#options;
    countCall(reads);
    const resultCharsMax = services.settings.toolResultCharsMax;
    const { filesFor, ...shared } = services.toolContext;
    const files = filesFor?.(origin) ?? shared.files;
    const scene = { callId, origin, files, reads, send, signal, report, resultCharsMax };
    const context: ToolContext = { ...shared, ...reach?.tools, ...scene };
    try {
      const result = await untilAborted(services.tools.run(name, parameters, context), signal);
      await reach?.ensurePermit(signal);
      return result;
    } catch (thrown) {
      signal.throwIfAborted();
      const { message } = asError(thrown);
      logger.error("Cannot run {tool}: {reason}", { tool: name, reason: message });
      return failure(brokenTool(name, message));
    }
  }

  #fit(toolName: string, result: ToolResult, newId: NewId): Promise<ToolResult["content"]> {
    const { services, origin: { sessionKey } } = this.#options;
    return fitResult(result, fitOptions({ ...services, newId }, { toolName, sessionKey }));
  }
}

function textOf(content: ToolResult["content"]): string {
  if (typeof content === "string") return content;
  return content.flatMap((block) => block.type === "text" ? [block.text] : []).join("\n");
}

function failure(content: string): ToolResult {
  return { content, isError: true };
}
