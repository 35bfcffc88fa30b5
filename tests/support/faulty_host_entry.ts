/**
 * The process of a tool host whose tools do what tools must not.
 * @module
 */

import { runHost } from "../../actors/tools/host/adapters/host_entry.ts";

if (import.meta.main) await runHost(new URL("./faulty_host_worker.ts", import.meta.url));
