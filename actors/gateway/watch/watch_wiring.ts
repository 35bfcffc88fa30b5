/**
 * What watches a gateway: its metrics, and traces where Deno makes some.
 * @module
 */

import type { LoadedConfig } from "../../config/load_config.ts";
import type { Clock } from "../../kernel/clock.ts";
import type { KernelEvent } from "../../kernel/events.ts";
import { derived } from "../../kernel/live_view.ts";
import { priceList } from "../../../providers/prices.ts";
import type { AuditPort } from "../../tools/audit/audit_entry.ts";
import type { ControlHandler } from "../control_handler.ts";
import type { HealthReport } from "../health.ts";
import { openTelemetry } from "./adapters/open_telemetry.ts";
import { residentBytes } from "./adapters/process_memory.ts";
import { exposition } from "./exposition.ts";
import { GatewayMetrics } from "./metrics.ts";
import { watchedAudit } from "./watched_parts.ts";
import { topHandler, type TopSources } from "./top.ts";
import { Watching } from "./watching.ts";

/** The parts that others are given. */
export interface WiredWatch {
  readonly watching: Watching;
  /** Told what happens to actors. */
  readonly happened: (event: KernelEvent) => void;
  readonly audit: (audit: AuditPort) => AuditPort;
  /** All metrics as text, with the numbers of a report of now. */
  readonly metrics: (report: HealthReport) => string;
  /** Answers what goes on just now. */
  readonly top: (sources: Pick<TopSources, "report" | "glances">) => ControlHandler;
}

/**
 * Makes them. Costs nothing worth telling until something happens.
 *
 * @param inForce the configuration that holds at the moment
 */
export async function wireWatch(
  inForce: () => LoadedConfig,
  { clock }: { readonly clock: Clock },
): Promise<WiredWatch> {
  const prices = derived(inForce, ({ config }) => priceList(config.agents.prices));
  const metrics = new GatewayMetrics((provider, model) => prices()(provider, model));
  const watching = new Watching({
    clock,
    onEnd: (activity, end, durationMs) => metrics.ended(activity, end, durationMs),
    tracer: await openTelemetry(),
  });
  return {
    watching,
    happened: (event) => metrics.happened(event),
    audit: (audit) => watchedAudit(audit, (tool) => metrics.toolRefused(tool)),
    metrics: (report) => exposition(metrics.all(report, { residentBytes: residentBytes() })),
    top: (sources) => topHandler({ ...sources, now: () => clock.now(), watching, residentBytes }),
  };
}
