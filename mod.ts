/**
 * Troupe: a personal assistant, reached from your chats and your terminal. Run it to get the
 * command line; import it to build channels, providers and tools for it.
 * @module
 */

// Read with the first line: what is no code needs the right to read it when it is imported later.
import "./deno.json" with { type: "json" };
import "./providers/prices.json" with { type: "json" };
import "./actors/session/adapters/template_texts.ts";

// For those who run it inside a program of theirs.
export { createGateway } from "./actors/gateway/library/create_gateway.ts";
export type { EmbeddedGateway, ExchangeError } from "./actors/gateway/library/embedded_gateway.ts";
export type {
  CreateGatewayOptions,
  SendOptions,
} from "./actors/gateway/library/library_options.ts";
export type { Exchange } from "./actors/gateway/exchange/exchange.ts";
export type {
  ExchangeEnd,
  ExchangeEvent,
  ExchangeFailure,
  ExchangeUsage,
} from "./actors/gateway/exchange/exchange_events.ts";
export type { LocalChannel } from "./actors/gateway/channel_wiring.ts";

// For those who write a channel.
export type {
  Channel,
  ChannelCommand,
  ChannelContext,
  ChannelFactory,
  ChannelInbound,
  ConnectionState,
  Delivery,
  DeliveryReceipt,
  HandInResult,
} from "./channels/channel.ts";
export { DeliveryError } from "./channels/channel.ts";
export type { ChannelManifest, ChannelSection } from "./channels/manifest.ts";

// For those who write a provider.
export type {
  Answerer,
  ChatEvent,
  ChatMessage,
  ChatRequest,
  ChatResponse,
  Provider,
} from "./providers/provider.ts";
export { ProviderError } from "./providers/provider.ts";

// For those who write a tool.
export { defineTool } from "./actors/tools/define_tool.ts";
export type { PluginCallContext, PluginTool } from "./actors/tools/plugin_tool.ts";
export type { Tool, ToolContext, ToolResult } from "./actors/tools/tool.ts";

// For those who write a hook.
export type {
  HookAnswer,
  HookContext,
  HookEvent,
  HookModule,
} from "./actors/tools/hooks/hook_event.ts";

if (import.meta.main && Deno.args[0] === "--tool-host") {
  // The compiled binary is its own tool host.
  const { runHost } = await import("./actors/tools/host/adapters/host_entry.ts");
  await runHost();
} else if (import.meta.main && Deno.args[0] === "--shell-relay") {
  // And its own relay, inside the sandbox of a shell command.
  const { relay } = await import("./actors/tools/shell/adapters/relay_entry.ts");
  await relay(Deno.args.slice(1));
} else if (import.meta.main && Deno.args[0] === "--shell-virtual") {
  // And the process of a command in the shell interpreter.
  // Named by its place: Deno reads what an `import` names at every start, run or not.
  const { runNarrowed }: typeof import("./actors/tools/shell/adapters/narrowed_entry.ts") =
    await import(new URL("./actors/tools/shell/adapters/narrowed_entry.ts", import.meta.url).href);
  await runNarrowed();
} else if (import.meta.main) {
  const { main } = await import("./channels/cli/main.ts").catch(tellWhatIsMissing);
  const { exit } = await import("./channels/cli/adapters/process.ts");
  exit(await main(Deno.args));
}

/** Where Deno cannot load the program it shows a stack, unless it can ask for a right. */
function tellWhatIsMissing(error: unknown): never {
  const told = error instanceof TypeError ? error.message : "";
  const why = told.startsWith("Requires read access")
    ? "Deno has no right to read the program; give it -A (deno run -A mod.ts), or the flags that " +
      "the command permissions prints"
    : /--cached-only is specified|not found in cache/.test(told)
    ? "Deno has not fetched all packages yet; run `deno install` in the program's folder once, " +
      "or leave --cached-only out"
    : null;
  if (why === null) throw error;
  Deno.stderr.writeSync(new TextEncoder().encode(`Error: Cannot start: ${why}\n`));
  Deno.exit(2);
}
