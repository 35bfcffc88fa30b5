import { describeChannel } from "../channel_contract.ts";
import { ALICE, TelegramHarness } from "./telegram_harness.ts";

describeChannel({
  name: "telegram",
  aliceChatId: String(ALICE),
  hasButtons: true,
  open: (clock) => Promise.resolve(new TelegramHarness(clock)),
});
