import { testsOf } from "../support/tests_of.ts";

await testsOf("channels/telegram", "channels/qq", "channels/dingtalk");
