/**
 * Lets tests reach their servers on this machine directly, where a proxy is set for the world.
 * Loaded before the first HTTP client is made.
 * @module
 */

import { bypassProxyForLoopback } from "../../actors/gateway/adapters/environment.ts";

bypassProxyForLoopback();
