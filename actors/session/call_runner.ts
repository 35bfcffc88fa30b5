/**
 * Runs single tool calls of a turn, and makes of whatever happens a result for the model.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import type { RequestedCall, ToolMessage } from "../../providers/provider.ts";
import { asError } from "../kernel/errors.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { ToolContext, ToolOrigin, ToolResult } from "../tools/tool.ts";
import { untilAborted } from "../kernel/aborting.ts";
import { LookupGuard } from "./lookup_guard.ts";
import type { SessionServices } from "./ports.ts";
import { fitResult } from "./tool_result.ts";
import { brokenTool, invalidArguments, repeatedLookup, tooManyCalls } from "./wording.ts";

const logger = getLogger(["troupe", "session", "call_runner"]);

/** Calls of one answer that are run; a model that asks for more has lost its way. */
const CALLS_PER_ANSWER_MAX = 64;

/** What a turn gives its calls. */
export interface CallRunnerOptions {
  readonly services: Pick<SessionServices, "tools" | "toolContext" | "settings" | "newId">;
  readonly origin: ToolOrigin;
  readonly reads: Map<string, string>;
}

/** Runs the calls of one turn. */
export class CallRunner {
  readonly #options: CallRunnerOptions;
  readonly #guard = new LookupGuard();
  #callsOfAnswer = 0;

  constructor(options: CallRunnerOptions) {
    this.#options = options;
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
  async run(
    { call, parsed }: RequestedCall,
    { send, signal }: Pick<ToolContext, "send" | "signal">,
  ): Promise<ToolMessage> {
    const { name } = call.function;
    const result = ++this.#callsOfAnswer > CALLS_PER_ANSWER_MAX
      ? failure(tooManyCalls(CALLS_PER_ANSWER_MAX))
      : parsed.state === "invalid"
      ? failure(invalidArguments(name, parsed.problem))
      : this.#guard.isRepetition(name, parsed.value)
      ? failure(repeatedLookup(name))
      : await this.#execute(name, parsed.value, { send, signal });
    const content = await this.#fit(name, result);
    return { role: "tool", tool_call_id: call.id, name, content };
  }

  async #execute(
    name: string,
    parameters: JsonObject,
    { send, signal }: Pick<ToolContext, "send" | "signal">,
  ): Promise<ToolResult> {
    const { services, origin, reads } = this.#options;
    const context: ToolContext = { ...services.toolContext, origin, reads, send, signal };
    try {
      return await untilAborted(services.tools.run(name, parameters, context), signal);
    } catch (thrown) {
      signal.throwIfAborted();
      const { message } = asError(thrown);
      logger.error("Cannot run {tool}: {reason}", { tool: name, reason: message });
      return failure(brokenTool(name, message));
    }
  }

  #fit(toolName: string, result: ToolResult): Promise<ToolResult["content"]> {
    const { services, origin } = this.#options;
    return fitResult(result, {
      toolName,
      charsMax: services.settings.toolResultCharsMax,
      sessionKey: origin.sessionKey,
      workspace: services.toolContext.workspace,
      files: services.toolContext.files,
      newId: services.newId,
    });
  }
}

function failure(content: string): ToolResult {
  return { content, isError: true };
}
