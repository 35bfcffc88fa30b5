import assert from "node:assert/strict";
import { readFrontMatter } from "../../../../actors/session/skills/front_matter.ts";
import { checkProposal } from "../../../../actors/session/skills/proposed_skill.ts";
import { skillMetadata } from "../../../../actors/session/skills/skill_metadata.ts";

const BODY = "\n# Steps\n\n1. Look.\n";

Deno.test("A proposal keeps what it needs of its front matter, and nothing that makes it always on", async () => {
  const head = [
    "name: other",
    "description: >",
    "  Adds up: pay <slips>",
    "  of a month",
    "always: true",
    "homepage: https://evil.example",
    "metadata: {openclaw: {always: true, os: [linux], requires: {bins: [pdftotext], env: [KEY]}}}",
  ];
  const checked = await checkProposal("pay-slips", `---\n${head.join("\n")}\n---\n${BODY}`);
  assert.ok(checked.state === "fine");
  const read = await readFrontMatter(checked.text);
  assert.deepEqual(Object.keys(read.head ?? {}), ["name", "description", "metadata"]);
  assert.equal(read.body.trim(), BODY.trim());
  const { name, description, isAlways, needs } = skillMetadata(read.head);
  assert.deepEqual([name, isAlways], ["pay-slips", false]);
  assert.equal(description, "Adds up: pay ‹slips› of a month");
  assert.deepEqual([needs.bins, needs.env, needs.os], [["pdftotext"], ["KEY"], ["linux"]]);
  assert.match(checked.text, /"proposedBy":"dream"/);
});

Deno.test.each([
  ["../evil", `---\ndescription: d\n---\n${BODY}`, /no name/],
  ["-a", `---\ndescription: d\n---\n${BODY}`, /no name/],
  ["a--b", `---\ndescription: d\n---\n${BODY}`, /no name/],
  ["x".repeat(65), `---\ndescription: d\n---\n${BODY}`, /no name/],
  ["a", BODY, /does not begin with front matter/],
  ["a", `---\ndescription: d\n${BODY}`, /no end/],
  ["a", `---\ndescription: [\n---\n${BODY}`, /no YAML/],
  ["a", `---\nname: a\n---\n${BODY}`, /no description/],
  ["a", `---\ndescription: ${"d".repeat(600)}\n---\n${BODY}`, /more than 500 characters/],
  ["a", "---\ndescription: d\n---\n\n", /says nothing/],
  ["a", `---\ndescription: d\n---\n${"x".repeat(20_000)}`, /more than 20000 characters/],
])("The proposal %s of %s is refused", async (name, text, problem) => {
  const checked = await checkProposal(name, text);
  assert.ok(checked.state === "wrong");
  assert.match(checked.problem, problem);
});

Deno.test("A head in a proposal's body stays a part of the body", async () => {
  const text = `---\ndescription: d\n---\n---\nalways: true\n---\nDo it.`;
  const checked = await checkProposal("a", text);
  assert.ok(checked.state === "fine");
  const { head } = await readFrontMatter(checked.text);
  assert.equal(skillMetadata(head).isAlways, false);
});
