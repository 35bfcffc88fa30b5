/**
 * Outbound rows for tests.
 * @module
 */

import type { NewOutbound } from "../../actors/journal/journal.ts";

/** A pending reply on channel "feishu" to chat "oc_1"; `change` sets what matters to the test. */
export function newOutbound(change: Partial<NewOutbound> & { readonly key: string }): NewOutbound {
  return {
    channel: "feishu",
    chatId: "oc_1",
    sessionKey: "feishu:oc_1",
    state: "pending",
    content: `text of ${change.key}`,
    preamble: "",
    media: [],
    context: {},
    isPlain: false,
    settles: [],
    ...change,
  };
}
