/**
 * Parts of a gateway that are watched from outside: they work as before and know nothing of it.
 * @module
 */

import type { ChatEvent, ChatRequest, Provider } from "../../../providers/provider.ts";
import type { LoadableProvider } from "../../../providers/registry.ts";
import type { AuditPort } from "../../tools/audit/audit_entry.ts";
import type { ToolRunner } from "../../tools/tool.ts";
import { type ActivityEnd, during, type Watch } from "../../session/watch.ts";

/** A provider whose calls are watched. */
export function watchedProvider(provider: LoadableProvider, watch: Watch): LoadableProvider {
  return {
    name: provider.name,
    preload: () => provider.preload(),
    chat: (request, signal) => watchedChat(provider, request, { watch, signal }),
  };
}

async function* watchedChat(
  provider: Provider,
  request: ChatRequest,
  { watch, signal }: { readonly watch: Watch; readonly signal: AbortSignal },
): AsyncGenerator<ChatEvent> {
  const { model } = request;
  const call = watch.begin({ kind: "model_call", provider: provider.name, model });
  let end: ActivityEnd = { outcome: "aborted" };
  let retries = 0;
  const events = call.run(() => provider.chat(request, signal)[Symbol.asyncIterator]());
  try {
    for (;;) {
      const next = await call.run(() => events.next());
      if (next.done === true) return;
      const event = next.value;
      if (event.type === "waiting") retries++;
      end = endOf(event) ?? end;
      yield event;
    }
  } finally {
    call.end({ ...end, retries });
    await events.return?.();
  }
}

function endOf(event: ChatEvent): ActivityEnd | undefined {
  if (event.type === "failed") return { outcome: event.error.code.replace(/^provider_/, "") };
  if (event.type !== "finished") return undefined;
  const { response: { usage }, by } = event;
  return { outcome: "answered", usage, ...(by !== undefined && { by }) };
}

/** Tools whose calls are watched. */
export function watchedTools(tools: ToolRunner, watch: Watch): ToolRunner {
  return {
    settled: async (signal) => await tools.settled?.(signal),
    definitions: () => tools.definitions(),
    concurrency: (name) => tools.concurrency(name),
    run: (name, parameters, context) => {
      const isKnown = tools.definitions().some((definition) => definition.name === name);
      return during(watch, { kind: "tool_call", tool: isKnown ? name : "unknown" }, {
        work: () => tools.run(name, parameters, context),
        ended: ({ isError }) => ({ outcome: isError === true ? "error" : "ok" }),
        broke: () => ({ outcome: "aborted" }),
      });
    },
  };
}

/** An audit log that also tells of calls that were not let run. */
export function watchedAudit(audit: AuditPort, onRefused: (tool: string) => void): AuditPort {
  return {
    record: (entry) => {
      if (entry.kind === "call" && entry.outcome === "refused") onRefused(entry.tool);
      audit.record(entry);
    },
  };
}
