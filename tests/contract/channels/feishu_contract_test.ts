import { describeChannel } from "../channel_contract.ts";
import { FeishuHarness } from "./feishu_harness.ts";

describeChannel({
  name: "feishu",
  aliceChatId: "ou_alice",
  hasButtons: true,
  open: (clock) => FeishuHarness.open(clock),
});
