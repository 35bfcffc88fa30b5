import { describeChannel } from "../channel_contract.ts";
import { ALICE, DingTalkHarness } from "./dingtalk_harness.ts";

describeChannel({
  name: "dingtalk",
  aliceChatId: ALICE,
  hasButtons: false,
  hasThreads: false,
  open: (clock) => Promise.resolve(new DingTalkHarness(clock)),
});
