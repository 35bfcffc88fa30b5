import { describeChannel } from "../channel_contract.ts";
import { ALICE_CHAT, WebsocketHarness } from "./websocket_harness.ts";

describeChannel({
  name: "websocket",
  aliceChatId: ALICE_CHAT,
  hasButtons: true,
  hasGroups: false,
  hasThreads: false,
  hasParts: false,
  isServer: true,
  open: () => Promise.resolve(new WebsocketHarness()),
});
