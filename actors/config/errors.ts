/**
 * Why a configuration is refused.
 * @module
 */

import { GatewayError } from "../kernel/errors.ts";

/** The kinds of refusal. */
export type ConfigFailure =
  | "config_missing"
  | "config_unreadable"
  | "config_malformed"
  | "config_not_object"
  | "config_value_invalid"
  | "config_variable_missing"
  | "config_channel_incomplete"
  | "config_provider_unknown"
  | "config_environment_invalid";

/** One thing that is wrong. */
export interface ConfigFault {
  readonly code: ConfigFailure;
  /** The key in camelCase, the variable, or `""` for the file as a whole. */
  readonly key: string;
  /** One line that names the file, the key, what is wrong and what to do. Never a value. */
  readonly line: string;
}

/** A configuration that cannot be used. `message` has one line per fault. */
export class ConfigError extends GatewayError {
  override readonly name = "ConfigError";
  /** Kind of the first fault. */
  readonly code: ConfigFailure;
  readonly recovery = "give_up";
  /** What a command ends with. */
  readonly exitCode = 2;
  readonly faults: readonly [ConfigFault, ...ConfigFault[]];

  constructor(faults: readonly [ConfigFault, ...ConfigFault[]], options?: ErrorOptions) {
    super(faults.map((fault) => fault.line).join("\n"), options);
    this.code = faults[0].code;
    this.faults = faults;
  }
}
