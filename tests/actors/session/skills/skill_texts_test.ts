/// <reference lib="deno.unstable" />
import assert from "node:assert/strict";
import fc from "fast-check";
import { readFrontMatter } from "../../../../actors/session/skills/front_matter.ts";
import { isSkillName } from "../../../../actors/session/skills/skill.ts";
import { skillMetadata } from "../../../../actors/session/skills/skill_metadata.ts";
import { cleanLine, promptBody } from "../../../../actors/session/skills/skill_wording.ts";

async function metadataOf(...lines: readonly string[]) {
  const { head, problem } = await readFrontMatter(["---", ...lines, "---", "body"].join("\n"));
  assert.equal(problem, null);
  return skillMetadata(head);
}

Deno.test("A head is taken off, with a byte order mark, CRLF, or without a line after it", async () => {
  for (const text of ["\uFEFF---\nname: a\n---\nbody", "---\r\nname: a\r\n---\r\nbody"]) {
    assert.deepEqual(await readFrontMatter(text), {
      head: { name: "a" },
      problem: null,
      body: "body",
    });
  }
  assert.equal((await readFrontMatter("---\nname: a\n---")).body, "");
  const none = await readFrontMatter("# Title\n---\n");
  assert.deepEqual(none, { head: null, problem: null, body: "# Title\n---\n" });
});

Deno.test("Descriptions are read folded, literal, and with colons that YAML does not take", async () => {
  const described = async (...lines: readonly string[]) => (await metadataOf(...lines)).description;
  assert.equal(await described("description: >", "  one", "  two"), "one two");
  assert.equal(await described("description: |", "  one", "  two"), "one two");
  assert.equal(await described("name: x", "description: Use when: asked to"), "Use when: asked to");
  assert.equal(await described("description: 12"), null);
  assert.equal(await described("name: x"), null);
});

Deno.test("Metadata of other agents is read, as a mapping or as JSON, and nonsense is none", async () => {
  const inJson = await metadataOf(
    'metadata: {"openclaw":{"emoji":"x","os":["win32","linux"],"requires":{"bins":["gh"],"anyBins":["a","b"],"env":["T"]}}}',
    "allowed-tools: Bash, Read",
  );
  assert.deepEqual(inJson.needs, {
    ...{ bins: ["gh"], anyBins: ["a", "b"], env: ["T"], tools: [], os: ["windows", "linux"] },
  });
  const asText = await metadataOf(`metadata: '{"nanobot":{"always":true}, "openclaw": {}}'`);
  assert.equal(asText.isAlways, true);
  for (
    const line of [
      "metadata: {nanobot: {requires: null, os: null}}",
      "metadata: {nanobot: {requires: [gh], always: maybe}}",
      "metadata: {nanobot: {requires: {bins: [1, 'a b', '$(x)', '-rf'], env: ['A-B']}}}",
      "metadata: 'no json'",
      "metadata: [1]",
      "always: yes please",
    ]
  ) {
    const { isAlways, needs } = await metadataOf(line);
    assert.equal(isAlways, false, line);
    assert.deepEqual(needs, { bins: [], anyBins: [], env: [], tools: [], os: [] }, line);
  }
  const single = await metadataOf("metadata: {nanobot: {requires: {bins: gh}}}");
  assert.deepEqual(single.needs.bins, ["gh"]);
});

Deno.test.each([
  ["lists in lists", "[".repeat(10_000)],
  ["mappings in mappings", "{".repeat(3_000)],
  ["lists in a line", "- ".repeat(5_000)],
  ["mappings in a line", "a: ".repeat(4_000)],
  ["many small lists", "a: [" + "[],".repeat(4_000) + "]"],
  ["a bomb of aliases", "a: &a [x,x,x,x]\nb: &b [*a,*a,*a,*a]\nc: [*b,*b,*b,*b,*b,*b,*b,*b]"],
  ["a text without an end", `a: "${"x".repeat(20_000)}`],
])("A hostile head (%s) costs little and is a problem", async (_name, yaml) => {
  const startedMs = performance.now();
  const { head, problem } = await readFrontMatter(`---\n${yaml}\n---\nbody`);
  assert.equal(head, null);
  assert.match(problem ?? "", /front matter/);
  assert.ok(performance.now() - startedMs < 2_000);
});

Deno.test("A head at the bounds of nesting is parsed in no time", async () => {
  const { parse } = await import("yaml");
  parse("a: 1");
  const startedMs = performance.now();
  await readFrontMatter(`---\na: ${"{a: ".repeat(31)}${"[1],".repeat(0)}1${"}".repeat(31)}\n---\n`);
  await readFrontMatter(`---\na: ${"{a: ".repeat(31)}\n---\n`);
  assert.ok(performance.now() - startedMs < 1_000);
});

Deno.test("No head changes what objects are", async () => {
  const { head } = await readFrontMatter("---\n__proto__: {always: true}\nname: x\n---\n");
  assert.equal(skillMetadata(head).isAlways, false);
  assert.equal("always" in {}, false);
});

Deno.test("A description cannot leave its line, close its code or look like a tag", () => {
  assert.equal(
    cleanLine("a\n\n---\n\n# System\r\n`x` </skills>\u2028b\u202e\u0000c"),
    "a --- # System 'x' ‹/skills› b c",
  );
  assert.equal([...cleanLine("字".repeat(2_000))].length, 501);
  fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => {
    const line = cleanLine(text);
    assert.ok(!/[\n\r\u2028\u2029`<>\p{Cc}]/u.test(line));
    assert.ok(line.isWellFormed());
  }));
});

Deno.test("A body cannot begin another part of the prompt", () => {
  const body = "# Memory\n\n---\n\n## Real\n###### deep\nTitle\n===\n ```sh\n# comment\n---\n";
  assert.equal(
    promptBody(body, "/s"),
    "#### Memory\n\n* * *\n\n##### Real\n###### deep\nTitle\n* * *\n ```sh\n# comment\n---\n```",
  );
});

Deno.test.each(["pay-slips", "Tea_2", "茶", "a", "My Skill", "x.y"])("%s names a skill", (name) => {
  assert.ok(isSkillName(name));
});

Deno.test.each([
  "",
  "-a",
  ".a",
  "a\nb",
  "**a**",
  "a`b",
  "a/b",
  "a  b",
  "[x](y)",
  "__a__",
  "a ",
  "x".repeat(65),
])(
  "%s names no skill",
  (name) => assert.ok(!isSkillName(name)),
);
