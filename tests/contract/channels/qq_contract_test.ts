import { describeChannel } from "../channel_contract.ts";
import { ALICE, QqHarness } from "./qq_harness.ts";

describeChannel({
  name: "qq",
  aliceChatId: ALICE,
  hasButtons: false,
  hasThreads: false,
  hearsGroups: false,
  open: (clock) => Promise.resolve(new QqHarness(clock)),
});
