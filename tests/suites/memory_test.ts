import { testsOf } from "../support/tests_of.ts";

await testsOf("actors/memory");
