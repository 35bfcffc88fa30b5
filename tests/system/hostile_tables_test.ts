import { tryTables } from "../support/gateway_tables.ts";
import { printedProgram } from "../support/printed_program.ts";

Deno.test.each(["virtual", "bwrap"] as const)(
  "Under the printed flags, shell %s, hostile calls get nowhere and everyday ones pass",
  (sandbox) => tryTables({ sandbox, programOf: printedProgram }),
);
