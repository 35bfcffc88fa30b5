import { describeChannel } from "../channel_contract.ts";
import { ALICE, EmailHarness } from "./email_harness.ts";

describeChannel({
  name: "email",
  aliceChatId: ALICE,
  hasButtons: false,
  hasGroups: false,
  hasParts: false,
  open: (clock) => Promise.resolve(new EmailHarness(clock)),
});
