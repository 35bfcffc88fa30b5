import { describeChannel } from "../channel_contract.ts";
import { SlackHarness } from "./slack_harness.ts";

describeChannel({
  name: "slack",
  aliceChatId: "DALICE",
  hasButtons: true,
  open: (clock) => Promise.resolve(new SlackHarness(clock)),
});
