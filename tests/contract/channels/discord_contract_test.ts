import { describeChannel } from "../channel_contract.ts";
import { ALICE_CHAT, DiscordHarness } from "./discord_harness.ts";

describeChannel({
  name: "discord",
  aliceChatId: ALICE_CHAT,
  hasButtons: true,
  open: (clock) => Promise.resolve(new DiscordHarness(clock)),
});
