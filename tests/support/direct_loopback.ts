/**
 * Lets tests reach their servers on this machine directly, where a proxy is set for the world, and
 * lets names that nobody has be unknown. Loaded before the first HTTP client is made.
 * @module
 */

import { bypassProxyForLoopback } from "../../actors/gateway/adapters/environment.ts";

bypassProxyForLoopback();
const direct = Deno.env.get("NO_PROXY"); // set where there is a proxy
if (direct !== undefined) Deno.env.set("NO_PROXY", `${direct},.invalid`);
