/**
 * The web tools, for the registry and for their host.
 * @module
 */

import type { Tool } from "../tool.ts";
import { webFetchTool } from "./web_fetch.ts";
import { webSearchTool } from "./web_search.ts";
import type { WebSettings } from "./web_settings.ts";

/** `web_fetch` and `web_search` as the settings want them. */
export function webTools(settings: WebSettings): readonly Tool[] {
  const { userAgent, remoteReader, resultCharsMax, search } = settings;
  return [
    webFetchTool({ userAgent, remoteReader, resultCharsMax }),
    webSearchTool({ ...search, userAgent }),
  ];
}
