/**
 * What sessions of a test share: nothing on disk, nothing on the network.
 * @module
 */

import { NO_BUDGETS } from "../../actors/session/budgets.ts";
import { UsageLedger } from "../../actors/session/usage_ledger.ts";
import type { SessionServices, SessionSettings } from "../../actors/session/ports.ts";

const SETTINGS: SessionSettings = {
  model: "test-model",
  temperature: 0.1,
  tokensMax: 1_000,
  contextWindowTokens: 100_000,
  contextBlockLimit: null,
  reasoningEffort: null,
  toolIterationsMax: 20,
  toolResultCharsMax: 2_000,
  timezone: "UTC",
  workspace: "/workspace",
  version: "1.2.3",
  idleMs: 60_000,
  joinsPerStepMax: 3,
  joinsPerTurnMax: 5,
};

/** Small limits; `change` sets what matters to the test. */
export function benchSettings(change: Partial<SessionSettings> = {}): SessionSettings {
  return { ...SETTINGS, ...change };
}

/** Those services that a test's world decides on, and any others. */
export type BenchServices =
  & Pick<
    SessionServices,
    "journal" | "files" | "provider" | "gate" | "outbox" | "clock" | "newId"
  >
  & Partial<SessionServices>
  & {
    /** Gets the files that tool results are written to. */
    readonly onWritten?: (path: string, text: string) => void;
  };

/** The services of a test's sessions; there are no tools unless the test has some. */
export function benchServices({ onWritten, ...services }: BenchServices): SessionServices {
  return {
    settings: SETTINGS,
    usage: new UsageLedger({
      journal: services.journal,
      clock: services.clock,
      prices: () => null,
      budgets: NO_BUDGETS,
      timezone: (services.settings ?? SETTINGS).timezone,
    }),
    promptFiles: { read: () => Promise.resolve(null) },
    systemPrompt: (channel) => Promise.resolve(`You talk on ${channel}.`),
    readImage: (path) =>
      Promise.resolve(path.endsWith(".png") ? { mime: "image/png", base64: "aGk=" } : null),
    tools: {
      definitions: () => [],
      concurrency: () => "exclusive",
      run: (name) => Promise.reject(new Error(`Cannot run "${name}": there are no tools`)),
    },
    toolContext: {
      workspace: "/workspace",
      files: {
        resolve: (path) => Promise.resolve(path),
        info: () => Promise.resolve(null),
        read: () => Promise.resolve(new Uint8Array()),
        write: (path, bytes) => {
          onWritten?.(path, new TextDecoder().decode(bytes));
          return Promise.resolve();
        },
        remove: () => Promise.resolve(),
        list: () => Promise.resolve({ entries: [], isCut: false }),
      },
      processes: { run: () => Promise.reject(new Error("no processes here")) },
      net: {
        request: () => Promise.reject(new Error("no network here")),
        isPublic: () => Promise.resolve(false),
      },
    },
    uptimeMs: () => 65_000,
    ...services,
  };
}
