/**
 * The network of the tools, put together as the configuration says.
 * @module
 */

import type { Clock } from "../../../kernel/clock.ts";
import { type BoundaryRules, NetBoundary } from "../boundary.ts";
import { GuardedHttp } from "../guarded_http.ts";
import { PinnedExit } from "./guarded_connection.ts";
import { systemLookUp } from "./look_up.ts";
import { ProxyExit } from "./proxy_exit.ts";

/** What the network is made from. */
export interface ToolNetOptions extends BoundaryRules {
  readonly clock: Clock;
  /** The owner's proxy (`tools.web.proxy`), a trusted way out; null: directly. */
  readonly proxy: string | null;
}

/** Makes the network; nothing is opened before the first request. */
export function createToolNet({ clock, proxy, ...rules }: ToolNetOptions): GuardedHttp {
  return new GuardedHttp({
    boundary: new NetBoundary(rules),
    lookUp: systemLookUp,
    exit: proxy === null ? new PinnedExit() : new ProxyExit(proxy),
    clock,
  });
}
