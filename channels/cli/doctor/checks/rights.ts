/**
 * Whether this process has the rights that the configuration needs.
 * @module
 */

import { isGranted } from "../../../../actors/gateway/rights/adapters/machine.ts";
import { flagOf } from "../../../../actors/gateway/rights/flags.ts";
import { gatherFacts } from "../../../../actors/gateway/rights/rights_facts.ts";
import { type PartNeeds, partsOf } from "../../../../actors/gateway/rights/rights_table.ts";
import { type Check, fault, type Finding, LOCAL_MS, ok, warning, withConfig } from "../finding.ts";

/** Looks at each part's needs. */
export const rightsCheck: Check = {
  name: "Rights",
  timeoutMs: LOCAL_MS,
  run: withConfig(({ loaded, machine }) => {
    const lacking = partsOf(gatherFacts(loaded, machine)).flatMap(lackOf);
    if (lacking.length > 0) return Promise.resolve(lacking);
    const hasAll = isGranted({ right: "run", value: "*" }) &&
      isGranted({ right: "net", value: "*" });
    const detail = hasAll
      ? "more than is needed; permissions prints a command with the exact ones"
      : "all that the configuration needs";
    return Promise.resolve([ok(detail)]);
  }),
};

function lackOf({ part, needs, without, switches }: PartNeeds): readonly Finding[] {
  const missing = needs.filter((need) => !isGranted(need));
  const rights = [...new Set(missing.map(({ right }) => right))];
  return rights.map((right) => {
    const values = missing.filter((need) => need.right === right).map(({ value }) => value);
    const detail = `${flagOf(right, values).join(" ")} is missing for ${part}: ${without}`;
    const fix = "start it with the command that permissions prints";
    return switches.type === "start" ? fault(detail, fix) : warning(detail, fix);
  });
}
