/**
 * `gateway`: runs everything until it is asked to stop.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import { configEdits } from "../../../actors/gateway/adapters/config_watch.ts";
import { systemWorld } from "../../../actors/gateway/adapters/system_world.ts";
import { Gateway } from "../../../actors/gateway/gateway.ts";
import { asError } from "../../../actors/kernel/errors.ts";
import type { LoadedConfig } from "../../../actors/config/load_config.ts";
import { localServers } from "../../../providers/adapters/local_probe.ts";
import { localServersLine } from "../../../providers/local_servers.ts";
import { chooseProvider } from "../../../providers/registry.ts";
import { reportUncaught, untilAskedToStop } from "../adapters/process.ts";
import { processStart, startAgain } from "../adapters/restart.ts";
import type { Terminal } from "../adapters/terminal.ts";
import { chatHandlers } from "../chat_requests.ts";
import { offerFirstRun } from "../first_run.ts";
import { type LoadFlags, prepareGateway, withPort } from "../load.ts";
import { TerminalHub } from "../terminal_hub.ts";
import { VERSION } from "../version.ts";

const logger = getLogger(["troupe", "gateway", "process"]);

/** Flags of the command. */
export interface GatewayFlags extends LoadFlags {
  readonly port?: number | undefined;
}

/** Runs the gateway; resolves with the exit code. */
export async function gatewayCommand(flags: GatewayFlags, terminal: Terminal): Promise<number> {
  const left = await offerFirstRun(flags, terminal);
  if (left !== null) return left;
  const print = (line: string) => terminal.write(`${line}\n`);
  const started = processStart();
  const handingOver = new AbortController();
  using _listening = { [Symbol.dispose]: () => handingOver.abort() };
  const { promise: restarting, resolve: restart } = Promise.withResolvers<"restart">();
  const stopping = Promise.race([untilAskedToStop(handingOver.signal), restarting]);
  using prepared = await prepareGateway(flags, terminal);
  const loaded = withPort(prepared.loaded, flags.port);
  reportUncaught((thrown) => {
    const error = asError(thrown);
    logger.error("Nobody caught an error, going on: {reason}", { reason: error.message, error });
  });
  print(`Troupe ${VERSION}`);
  print(`Config: ${loaded.locations.configFile}`);
  const world = systemWorld();
  const hub = new TerminalHub();
  const { workspace } = loaded.locations;
  {
    await using _gateway = await Gateway.start({
      loaded,
      version: VERSION,
      world,
      print,
      localChannels: [hub.local],
      isWhole: true,
      command: "gateway",
      onRestart: () => restart("restart"),
      handlers: chatHandlers({ hub, workspace, newId: world.newId }),
      findLocalServers: localServers,
      edits: configEdits(
        loaded.locations.configFile,
        async () => withPort(await prepared.reload(), flags.port),
      ),
    });
    print("Ready");
    // Nobody waits for it; after a stop that came first it has nothing more to say.
    const offering = new AbortController();
    using _over = { [Symbol.dispose]: () => offering.abort() };
    offerOf(loaded).then((line) => line !== "" && !offering.signal.aborted && print(line));
    print(`Stopping (${await stopping}): running turns get a moment to finish`);
  }
  print("Stopped");
  if (await stopping !== "restart") return 0;
  handingOver.abort();
  return await startAgain(started, print);
}

/** A line about model servers of this machine, where no provider is set up; "" without any. */
async function offerOf({ config, locations }: LoadedConfig): Promise<string> {
  const { model, provider } = config.agents.defaults;
  const choice = chooseProvider({ model, provider, providers: config.providers });
  if (choice.state !== "unconfigured") return "";
  return localServersLine(await localServers(), locations.configFile);
}
