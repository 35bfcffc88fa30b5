/**
 * Model servers that run on this machine without being set up, and how to use one.
 * @module
 */

/** A server that answered. */
export interface LocalServer {
  /** The key under `providers` to set it up with. */
  readonly name: string;
  readonly displayName: string;
  readonly baseUrl: string;
  /** What it can run, at least one, models that talk first. */
  readonly models: readonly [string, ...string[]];
}

/** Looks for servers; never fails. */
export type FindLocalServers = () => Promise<readonly LocalServer[]>;

/** Shown of a server's models. */
const MODELS_SHOWN_MAX = 5;

/** What was found, in one line for the console. */
export function localServersLine(servers: readonly LocalServer[], configPath: string): string {
  const [first] = servers;
  if (first === undefined) return "";
  const found = servers.map(({ displayName, baseUrl, models }) =>
    `${displayName} at ${baseUrl} (${models.slice(0, MODELS_SHOWN_MAX).join(", ")})`
  );
  return `Model: found ${found.join(" and ")}; to use it, put ` +
    `${JSON.stringify(settingsFor(first))} into ${configPath} and start again`;
}

/** What was found, for a chat, as a beginning of what else could be done; "" without any. */
export function localServersText(servers: readonly LocalServer[], configPath: string): string {
  const offers = servers.map((server) => {
    const models = server.models.slice(0, MODELS_SHOWN_MAX).join(", ");
    return `${server.displayName} runs on this machine, with ${models}. To use it, put this into ` +
      `${configPath}:\n\n\`\`\`json\n${JSON.stringify(settingsFor(server), null, 2)}\n\`\`\`\n\n`;
  });
  return offers.length === 0 ? "" : `${offers.join("")}To use something else: `;
}

/** The settings that lead to a server's first model. */
export function settingsFor({ name, baseUrl, models }: LocalServer): {
  readonly agents: { readonly defaults: { readonly provider: string; readonly model: string } };
  readonly providers: Readonly<Record<string, { readonly apiBase: string }>>;
} {
  return {
    agents: { defaults: { provider: name, model: models[0] } },
    providers: { [name]: { apiBase: baseUrl } },
  };
}
