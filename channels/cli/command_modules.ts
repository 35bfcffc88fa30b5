/**
 * All commands; each one's module is loaded when it is called.
 * @module
 */

/** Loads `onboard`. */
export function onboard(): Promise<typeof import("./commands/onboard.ts")> {
  return import("./commands/onboard.ts");
}

/** Loads `gateway`. */
export function gateway(): Promise<typeof import("./commands/gateway.ts")> {
  return import("./commands/gateway.ts");
}

/** Loads `serve`. */
export function serve(): Promise<typeof import("./commands/serve.ts")> {
  return import("./commands/serve.ts");
}

/** Loads `agent`. */
export function agent(): Promise<typeof import("./commands/agent.ts")> {
  return import("./commands/agent.ts");
}

/** Loads `status`. */
export function status(): Promise<typeof import("./commands/status.ts")> {
  return import("./commands/status.ts");
}

/** Loads `failed`. */
export function failed(): Promise<typeof import("./commands/failed.ts")> {
  return import("./commands/failed.ts");
}

/** Loads `retry` and `drop`. */
export function decide(): Promise<typeof import("./commands/decide.ts")> {
  return import("./commands/decide.ts");
}

/** Loads `channels status`. */
export function channelsStatus(): Promise<typeof import("./commands/channels_status.ts")> {
  return import("./commands/channels_status.ts");
}

/** Loads `channels login`. */
export function channelsLogin(): Promise<typeof import("./commands/channels_login.ts")> {
  return import("./commands/channels_login.ts");
}

/** Loads `providers` and `providers test`. */
export function providers(): Promise<typeof import("./commands/providers.ts")> {
  return import("./commands/providers.ts");
}

/** Loads `provider login` and `provider logout`. */
export function providerLogin(): Promise<typeof import("./commands/provider_login.ts")> {
  return import("./commands/provider_login.ts");
}

/** Loads `backup`. */
export function backup(): Promise<typeof import("./commands/backup.ts")> {
  return import("./commands/backup.ts");
}

/** Loads `restore`. */
export function restore(): Promise<typeof import("./commands/restore.ts")> {
  return import("./commands/restore.ts");
}

/** Loads `config reload`. */
export function configReload(): Promise<typeof import("./commands/config_reload.ts")> {
  return import("./commands/config_reload.ts");
}

/** Loads `logs`. */
export function logs(): Promise<typeof import("./commands/logs.ts")> {
  return import("./commands/logs.ts");
}

/** Loads `permissions`. */
export function permissions(): Promise<typeof import("./commands/permissions.ts")> {
  return import("./commands/permissions.ts");
}

/** Loads `audit` and `audit verify`. */
export function audit(): Promise<typeof import("./commands/audit.ts")> {
  return import("./commands/audit.ts");
}

/** Loads `sessions list`, `show`, `search`, `export` and `delete`. */
export function sessions(): Promise<typeof import("./commands/sessions.ts")> {
  return import("./commands/sessions.ts");
}

/** Loads `mcp list`, `test` and `login`. */
export function mcp(): Promise<typeof import("./commands/mcp.ts")> {
  return import("./commands/mcp.ts");
}

/** Loads `cron` and what stands below it. */
export function cron(): Promise<typeof import("./commands/cron.ts")> {
  return import("./commands/cron.ts");
}

/** Loads `skills list`, `show`, `install` and `remove`. */
export function skills(): Promise<typeof import("./commands/skills.ts")> {
  return import("./commands/skills.ts");
}

/** Loads `migrate`. */
export function migrate(): Promise<typeof import("./commands/migrate.ts")> {
  return import("./commands/migrate.ts");
}

/** Loads `service install`, `status`, `logs` and `uninstall`. */
export function service(): Promise<typeof import("./commands/service.ts")> {
  return import("./commands/service.ts");
}

/** Loads `config get`, `set`, `check`, `path` and `schema`. */
export function config(): Promise<typeof import("./commands/config.ts")> {
  return import("./commands/config.ts");
}

/** Loads `doctor`. */
export function doctor(): Promise<typeof import("./commands/doctor.ts")> {
  return import("./commands/doctor.ts");
}

/** Loads `completion`. */
export function completion(): Promise<typeof import("./commands/completion.ts")> {
  return import("./commands/completion.ts");
}

/** Loads `top`. */
export function top(): Promise<typeof import("./commands/top.ts")> {
  return import("./commands/top.ts");
}
