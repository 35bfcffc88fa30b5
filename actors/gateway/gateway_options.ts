/**
 * What a gateway is made of.
 * @module
 */

import type { FindLocalServers } from "../../providers/local_servers.ts";
import type { LoadedConfig } from "../config/load_config.ts";
import type { LocalChannel } from "./channel_wiring.ts";
import type { ControlHandler } from "./control_handler.ts";
import type { ConfigEdits } from "./live/config_keeper.ts";
import type { Tool } from "../tools/tool.ts";
import type { Provider } from "../../providers/provider.ts";
import type { World } from "./world.ts";

/** What a process was started as, if it does not say. */
export const DEFAULT_COMMAND = "gateway";

/** What a gateway is made of. */
export interface GatewayOptions {
  readonly loaded: LoadedConfig;
  readonly version: string;
  readonly world: World;
  /** Gets one line for each part that comes up, or stays off and why. */
  readonly print: (line: string) => void;
  /** Channels in this process, such as the terminal. */
  readonly localChannels?: readonly LocalChannel[];
  /** Platforms, recovery, health endpoint and control door; false for a single errand. */
  readonly isWhole: boolean;
  /** Of a whole one only what the API needs: no platforms, schedule, heartbeat. @default false */
  readonly isApiOnly?: boolean;
  /** What this process was started as, for others that meet its locks. @default "gateway" */
  readonly command?: string;
  /**
   * Ends the process in good order, so that it is started again.
   *
   * @default nobody can ask for it
   */
  readonly onRestart?: () => void;
  /** Tools of the program that the gateway runs in. @default none */
  readonly tools?: readonly Tool[];
  /** Who answers in place of the models of the configuration. @default nobody does */
  readonly provider?: Provider | undefined;
  /** Further ones: the one named `x` answers for models named `x/…`. @default none */
  readonly providers?: readonly Provider[] | undefined;
  /** Answered at the control door besides the gateway's own requests. */
  readonly handlers?: readonly ControlHandler[];
  /** @default the module that hosts the channels there are */
  readonly workerEntry?: URL;
  /** How edits of the configuration are noticed. @default they count with the next start */
  readonly edits?: ConfigEdits;
  /** Model servers to offer while none is set up. @default nobody looks for them */
  readonly findLocalServers?: FindLocalServers;
}
