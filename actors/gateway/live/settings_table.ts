/**
 * What an edit of the configuration does to a gateway that runs: each key and when its new value
 * counts. A test compares this table with the schema, so that no key is forgotten.
 * @module
 */

/**
 * now: at once, running turns included. turn: from the next turn or message on; a running turn
 * keeps what it began with. start: with the next start of the gateway.
 */
export type Effect = "now" | "turn" | "start";

/** By camelCase path. What is below a key that is no object of known keys goes with it. */
export const EFFECTS: Readonly<Record<string, Effect>> = {
  "owners": "now",
  // Places, and whose words and memory are whose, hold for what is on the disk already.
  "agents.defaults.workspace": "start",
  "agents.defaults.timezone": "start",
  "agents.defaults.unifiedSession": "start",
  "agents.defaults.memoryScope": "start",
  "agents.defaults.disabledSkills": "start",
  "agents.defaults.idleCompactAfterMinutes": "start",
  "agents.defaults.dream.intervalH": "start",
  "agents.defaults.dream.cron": "start",
  "agents.defaults.dream.modelOverride": "turn",
  "agents.defaults.dream.maxBatchSize": "turn",
  "agents.defaults.dream.maxIterations": "turn",
  "agents.defaults.dream.annotateLineAges": "turn",
  "agents.defaults.model": "turn",
  "agents.defaults.provider": "turn",
  "agents.defaults.maxTokens": "turn",
  "agents.defaults.contextWindowTokens": "turn",
  "agents.defaults.contextBlockLimit": "turn",
  "agents.defaults.temperature": "turn",
  "agents.defaults.maxToolIterations": "turn",
  "agents.defaults.maxToolResultChars": "turn",
  "agents.defaults.providerRetryMode": "turn",
  "agents.defaults.fallbackModels": "turn",
  "agents.defaults.reasoningEffort": "turn",
  "agents.defaults.maxConcurrentRequests": "now",
  "agents.defaults.maxConcurrentSubagents": "now",
  "agents.goals.maxTurns": "turn",
  "agents.goals.maxTokens": "turn",
  "agents.goals.maxMinutes": "turn",
  "agents.subagents.maxIterations": "turn",
  "agents.subagents.timeoutS": "turn",
  "agents.subagents.maxTokens": "turn",
  "agents.subagents.sendProgress": "turn",
  // A budget that is lowered holds the running turns, too: that is what it is lowered for.
  "agents.budgets.perDay.tokens": "now",
  "agents.budgets.perDay.usd": "now",
  "agents.budgets.perSession.tokens": "now",
  "agents.budgets.perSession.usd": "now",
  "agents.prices": "now",
  "modelPresets": "turn",
  "channels.sendProgress": "now",
  "channels.sendToolHints": "now",
  "channels.sendMaxRetries": "now",
  "channels.mediaDays": "now",
  "channels.mediaMegabytes": "now",
  "channels.transcriptionProvider": "now",
  "channels.transcriptionModel": "now",
  "providers": "turn",
  "hooks": "now",
  "api.allowOrigins": "start",
  "api.apiKey": "start",
  "api.apiKeys": "start",
  "api.enabled": "start",
  "api.host": "start",
  "api.maxConcurrentRequests": "start",
  "api.port": "start",
  "api.timeout": "start",
  "gateway.host": "start",
  "gateway.port": "start",
  "gateway.heartbeat.enabled": "now",
  "gateway.heartbeat.intervalS": "now",
  "gateway.heartbeat.keepRecentMessages": "turn",
  "gateway.heartbeat.target": "now",
  "gateway.heartbeat.quietHours": "now",
  "gateway.retention.finishedDays": "now",
  "gateway.retention.dedupeDays": "now",
  // What the shell may see was tried at the start, and its sandbox stands.
  "tools.restrictToWorkspace": "start",
  "tools.readableFolders": "start",
  "tools.writableFolders": "start",
  "tools.ssrfWhitelist": "turn",
  "tools.allowedHosts": "turn",
  "tools.mcpServers": "now",
  "tools.my.enable": "turn",
  "tools.my.allowSet": "turn",
  "tools.web.enable": "turn",
  "tools.web.proxy": "turn",
  "tools.web.userAgent": "turn",
  "tools.web.search.provider": "turn",
  "tools.web.search.apiKey": "turn",
  "tools.web.search.baseUrl": "turn",
  "tools.web.search.maxResults": "turn",
  "tools.web.search.timeout": "turn",
  "tools.web.fetch.useJinaReader": "turn",
  "tools.exec.enable": "start",
  "tools.exec.timeout": "turn",
  "tools.exec.pathAppend": "start",
  "tools.exec.sandbox": "start",
  "tools.exec.network": "start",
  "tools.exec.allowedEnvKeys": "start",
  "tools.exec.denyPatterns": "now",
  "tools.exec.allowPatterns": "now",
  "tools.approval.tools": "turn",
  "tools.approval.commands": "turn",
  "tools.approval.timeout": "turn",
  "tools.plugins": "start",
};

/** When the new value of a key counts; one that is not in the table waits for the next start. */
export function effectOf(key: string): Effect {
  return EFFECTS[key] ?? "start";
}
