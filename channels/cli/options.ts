/**
 * Flags that several commands share.
 * @module
 */

import { InvalidArgumentError, Option } from "commander";

/** `--limit`. */
export function limitOption(): Option {
  return new Option("-n, --limit <number>", "how many at most").default(50).argParser((text) => {
    const limit = Number(text);
    if (Number.isInteger(limit) && limit >= 1 && limit <= 10_000) return limit;
    throw new InvalidArgumentError("a limit is a whole number from 1 to 10000");
  });
}

/** `--json`. */
export function jsonOption(): Option {
  return new Option("--json", "print JSON, for scripts");
}

/** `--config`. */
export function configOption(): Option {
  return new Option("-c, --config <file>", "configuration file (~/.troupe/config.json)");
}

/** `--workspace`. */
export function workspaceOption(): Option {
  return new Option("-w, --workspace <folder>", "workspace, instead of the configured one");
}

/** `--port`. */
export function portOption(): Option {
  return new Option("-p, --port <number>", "port of the health endpoint").argParser((text) => {
    const port = Number(text);
    if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
    throw new InvalidArgumentError("a port is a whole number from 0 to 65535");
  });
}
