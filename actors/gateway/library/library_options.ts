/**
 * What a program says of the gateway that it runs inside itself.
 * @module
 */

import type { Provider } from "../../../providers/provider.ts";
import type { JsonObject } from "../../kernel/json.ts";
import type { Tool } from "../../tools/tool.ts";
import type { LocalChannel } from "../channel_wiring.ts";

/** What a gateway is created from. Everything has a default. */
export interface CreateGatewayOptions {
  /**
   * The configuration file, which must be there; state and media lie beside it.
   *
   * @default `~/.troupe/config.json`, which may be missing
   */
  readonly configFile?: string;
  /** Settings, in place of a file: what `config.json` would hold. Needs `folder`. */
  readonly config?: JsonObject;
  /** With `config`: where state, media and, unless it says otherwise, the workspace lie. */
  readonly folder?: string;
  /** The workspace, instead of the configured one. */
  readonly workspace?: string;
  /** Variables, for `${NAME}` in settings. @default the process's */
  readonly env?: Readonly<Record<string, string>>;
  /**
   * It is a whole gateway: with the configured channels, jobs, heartbeat, health endpoint, API and
   * control door. Otherwise only what the program asks for is done.
   *
   * @default false
   */
  readonly isWhole?: boolean;
  /** The program's own tools, beside those that there are; they run in its process. */
  readonly tools?: readonly Tool[];
  /** The program's own channels, which run in its process. */
  readonly channels?: readonly LocalChannel[];
  /** Who answers in place of the models of the configuration; what fails for a while is repeated. */
  readonly provider?: Provider;
  /**
   * Further ones, beside `provider` and the configuration: the one named `x` answers for models
   * named `x/…`, which it is asked for without the `x/`.
   *
   * @default none
   */
  readonly providers?: readonly Provider[];
  /** Gets a line for each part as it comes up. @default nobody reads them */
  readonly print?: (line: string) => void;
}

/** How a message is sent. */
export interface SendOptions {
  /** The conversation: a name, or a whole key such as `cli:direct`. @default "default" */
  readonly session?: string;
  /** Absolute paths of pictures and files. @default none */
  readonly media?: readonly string[];
  /** Who says it, as owners and memories know people. @default "user" */
  readonly sender?: string;
  /**
   * Names the message: sent again under the same id it is not worked on again, and ends as it did.
   *
   * @default a new one
   */
  readonly id?: string;
  /** Stops the work on it when it aborts. */
  readonly signal?: AbortSignal;
}
