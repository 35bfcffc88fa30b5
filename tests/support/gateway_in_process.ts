/**
 * A whole gateway inside the test's process, with a channel of the test beside its platforms.
 * @module
 */

import { loadConfig } from "../../actors/config/load_config.ts";
import { systemWorld } from "../../actors/gateway/adapters/system_world.ts";
import { Gateway } from "../../actors/gateway/gateway.ts";
import type { ConfigEdits } from "../../actors/gateway/live/config_keeper.ts";
import type { World } from "../../actors/gateway/world.ts";
import type { JsonObject } from "../../actors/kernel/json.ts";
import { channelEntries } from "../../channels/registry.ts";
import type { GatewayHome } from "./gateway_process.ts";
import { ProbeChannel } from "./probe_channel.ts";

/** A running gateway and its probes. */
export interface InProcessGateway extends AsyncDisposable {
  readonly gateway: Gateway;
  /** The first of the probes. */
  readonly probe: ProbeChannel;
  readonly probes: ReadonlyMap<string, ProbeChannel>;
}

/** What a test may choose. */
export interface InProcessOptions {
  readonly workerEntry?: URL;
  /** @default this machine's */
  readonly world?: World;
  /** Names of channels whose platform is the test. @default probe */
  readonly probes?: readonly string[];
  /** How edits of the configuration are noticed. @default they are not */
  readonly edits?: ConfigEdits;
  /** Further variables of the environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** Told when the gateway wants to be started again. @default nobody is */
  readonly onRestart?: () => void;
  /** Gets the lines of the start. @default nobody reads them */
  readonly print?: (line: string) => void;
}

/** Starts a gateway from `config` in `home`, with probes beside the channels of the config. */
export async function startInProcess(
  home: GatewayHome,
  config: JsonObject,
  { world = systemWorld(), probes: names = ["probe"], env = {}, print = () => {}, ...options }:
    InProcessOptions = {},
): Promise<InProcessGateway> {
  const loaded = await loadConfig({
    source: {
      readTextFile: () => Promise.resolve(JSON.stringify({ gateway: { port: 0 }, ...config })),
      env: { TROUPE_HOME: home.path, ...env },
      homeDir: home.path,
      cwd: home.path,
    },
    manifests: channelEntries.map(({ manifest }) => manifest),
  });
  const made = new Map(names.map((name) => [name, Promise.withResolvers<ProbeChannel>()]));
  const gateway = await Gateway.start({
    loaded,
    version: "0.0.0-test",
    world,
    print,
    localChannels: [...made].map(([name, { resolve }]) => ({
      name,
      create: (context) => {
        const channel = new ProbeChannel(context);
        resolve(channel);
        return channel;
      },
    })),
    isWhole: true,
    ...options,
  });
  const probes = new Map(
    await Promise.all([...made].map(async ([name, { promise }]) => [name, await promise] as const)),
  );
  const [probe] = probes.values();
  if (probe === undefined) throw new TypeError("Cannot start without a probe");
  return { gateway, probe, probes, [Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose]() };
}
