/**
 * Flags that several commands share.
 * @module
 */

import { type Command, InvalidArgumentError, Option } from "commander";

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
export function portOption(what = "port of the health endpoint"): Option {
  return new Option("-p, --port <number>", what).argParser((text) => {
    const port = Number(text);
    if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
    throw new InvalidArgumentError("a port is a whole number from 0 to 65535");
  });
}

/** What channels are set up with, where it is not asked for. */
export function addLoginOptions(command: Command): Command {
  return command
    .option("--app-id <id>", "Feishu, QQ: App ID of the developer console")
    .option("--app-secret <secret>", "Feishu, QQ: App Secret; asked for when it is not given")
    .option("--token <token>", "Telegram, Discord: the bot's token; asked for when it is not given")
    .option("--phone <number>", "WhatsApp: the number to link by a code instead of a scan")
    .option("--bot-token <token>", "Slack: the bot's token, xoxb-…")
    .option("--app-token <token>", "Slack: the app's token, xapp-…")
    .option("--client-id <id>", "DingTalk: Client ID of the developer console")
    .option("--client-secret <secret>", "DingTalk: Client Secret; asked for when it is not given")
    .option("--domain <domain>", "Feishu: feishu, lark, or a base URL")
    .option("--scan", "Feishu: create the app by scanning a code");
}

/** `--since`: a point in time, so long ago or then. */
export function sinceOption(): Option {
  return new Option("--since <time>", "30m, 2h, 7d, or a date").argParser((text) => {
    const [, count, unit = ""] = /^(\d{1,6})([mhd])$/.exec(text.trim()) ?? [];
    if (count !== undefined) return { agoMs: Number(count) * (UNITS_MS[unit] ?? 0) };
    const atMs = Date.parse(text);
    if (!Number.isNaN(atMs)) return { atMs };
    throw new InvalidArgumentError("write 30m, 2h, 7d, or a date such as 2026-05-01");
  });
}

const UNITS_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };
