import { tryTables } from "../support/gateway_tables.ts";
import { printedProgram } from "../support/printed_program.ts";
import { buildBinary } from "./single_binary.ts";

Deno.test.each(["virtual", "bwrap"] as const)(
  "Under the printed flags, shell %s, hostile calls get nowhere and everyday ones pass",
  (sandbox) => tryTables({ sandbox, programOf: printedProgram }),
);

const FOLDER = await Deno.makeTempDir({ prefix: "troupe-tables-" });
const BUILD = await buildBinary(FOLDER);
const PROGRAM = BUILD.state === "built" ? [BUILD.path] : [];
/** A test that cannot run says so by its name. */
const NOTE = BUILD.state === "built" ? "" : ` [skipped: ${BUILD.reason}]`;

Deno.test.afterAll(() => Deno.remove(FOLDER, { recursive: true }));

Deno.test({
  name: `In the single binary hostile calls get nowhere and everyday ones pass${NOTE}`,
  ignore: BUILD.state !== "built",
  fn: () => tryTables({ sandbox: "bwrap", programOf: () => Promise.resolve(PROGRAM) }),
});
