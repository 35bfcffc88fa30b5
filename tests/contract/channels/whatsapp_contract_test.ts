import { describeChannel } from "../channel_contract.ts";
import { ALICE_CHAT, WhatsAppHarness } from "./whatsapp_harness.ts";

describeChannel({
  name: "whatsapp",
  aliceChatId: ALICE_CHAT,
  hasButtons: false,
  hasThreads: false,
  // One message holds more than these tests write.
  hasParts: false,
  open: () => Promise.resolve(new WhatsAppHarness()),
});
