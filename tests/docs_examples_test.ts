import assert from "node:assert/strict";
import { matchesGlob } from "node:path";
import { channelEntries } from "../channels/registry.ts";
import { chooseProvider } from "../providers/registry.ts";
import project from "../deno.json" with { type: "json" };
import { loadText } from "./actors/config/_load.ts";
import { misreadIn } from "./support/command_lines.ts";
import { blocks, handbookPages, readPage } from "./support/pages.ts";

const PAGES = new Map(
  await Promise.all(
    (await handbookPages()).map(async (page) => [page, await readPage(page)] as const),
  ),
);
const MANIFESTS = channelEntries.map(({ manifest }) => manifest);

/** Values of variables whose form is looked at. */
const FORMS: Readonly<Record<string, string>> = {
  DISCORD_TOKEN: "MTk4NjIyNDgzNDcxOTI1MjQ4.Cl2FMQ.ZnCjm1XVW7vRze4b7Cq4se7kKWs",
  SLACK_APP_TOKEN: "xapp-1-A012-345-abc",
  SLACK_BOT_TOKEN: "xoxb-012-345-abc",
  TELEGRAM_TOKEN: "123456789:AAF0123456789abcdefghijklmnopqrstuv",
};

/** Loads an example with all the variables that it names. */
function loadExample(text: string) {
  const names = [...text.matchAll(/\$\{(\w+)\}/g)].map(([, name = ""]) => name);
  const env = Object.fromEntries(names.map((name) => [name, FORMS[name] ?? "0123456789abcdef"]));
  return loadText(text, { manifests: MANIFESTS, env });
}

Deno.test("Every configuration in the handbook is accepted without a warning", async () => {
  const odd: string[] = [];
  let count = 0;
  for (const [page, text] of PAGES) {
    for (const example of blocks(text, "json")) {
      count++;
      const said = await loadExample(example).then(
        ({ warnings }) => warnings.map(String),
        (error: unknown) => [String(error)],
      );
      odd.push(...said.map((line) => `${page}: ${line}`));
    }
  }
  assert.deepEqual(odd, []);
  assert.ok(count > 30, `${count} examples were found`);
});

Deno.test("Every model of the quick start is answered for by the provider that it names", async () => {
  const [models = ""] = PAGES.get("docs/quick-start.md")?.split("## A chat") ?? [];
  const chosen: string[] = [];
  for (const example of blocks(models, "json")) {
    const { config } = await loadExample(example);
    const { model, provider } = config.agents.defaults;
    const choice = chooseProvider({ model, provider, providers: config.providers });
    assert.ok(choice.state === "chosen", example);
    chosen.push(choice.vendor.name);
  }
  const families = ["custom", "ollama", "openrouter", "anthropic", "openai", "deepseek"];
  assert.deepEqual(chosen, [...families, "azure_openai"]);
});

Deno.test("The quick start has a section and a command for every channel", async () => {
  const page = PAGES.get("docs/quick-start.md") ?? "";
  const [, chats = ""] = page.split("## A chat");
  const enabled = await Promise.all(
    blocks(chats, "json").map(async (example) => {
      const { config } = await loadExample(example);
      return Object.keys(config.channels.enabled);
    }),
  );
  const names = MANIFESTS.map(({ name }) => name);
  assert.deepEqual(enabled.flat().toSorted(), names.toSorted());
  for (const { manifest: { name }, loadSetup } of channelEntries) {
    const command = `\`channels login ${name}\``;
    assert.equal(chats.includes(command), loadSetup !== undefined, command);
  }
});

/** Command lines of our program in a page: in blocks, and between backticks in running text. */
function commandLines(text: string): string[] {
  const fences = [...text.matchAll(/^( *)```(\S*)[^\n]*\n([^]*?)^ *```$/gm)];
  const lines = fences.filter(([, , language = ""]) => ["sh", ""].includes(language))
    .flatMap(([, , , block = ""]) => block.replaceAll(/\\\n\s*/g, " ").split("\n"));
  const spans = text.replaceAll(/^ *```[^]*?^ *```$/gm, "").replaceAll("\n", " ")
    .matchAll(/(?<!`)`([^`]+)`(?!`)/g);
  return [...lines, ...[...spans].map(([, span = ""]) => span)].flatMap((line) => {
    const [, words] = /(?:deno(?:@[\d.]+)? run -A mod\.ts|^troupe|[|;&] *troupe) (.*)$/
      .exec(line) ?? [];
    return words === undefined || words.startsWith("<") ? [] : [words.replace(/ +# .*$/, "")];
  });
}

Deno.test("Every command line in the handbook is one that the program takes", () => {
  const misread: string[] = [];
  let count = 0;
  for (const [page, text] of PAGES) {
    for (const line of commandLines(text)) {
      count++;
      const problem = misreadIn(line);
      if (problem !== null) misread.push(`${page}: ${line}: ${problem}`);
    }
  }
  assert.deepEqual(misread, []);
  assert.ok(count > 50, `${count} command lines were found`);
});

Deno.test("Every task that the handbook names exists", () => {
  const tasks = new Set(Object.keys(project.tasks));
  const named = [...PAGES.values()].flatMap((text) =>
    [...text.matchAll(/\bdeno task ([a-z:\d-]+)/g)].map(([, task = ""]) => task)
  );
  assert.ok(named.length > 10);
  assert.deepEqual(named.filter((task) => !tasks.has(task)), []);
});

Deno.test("Every program in the handbook is type-checked and run, but those that need a server", () => {
  const globs = project.tasks.check.split(" ").filter((word) => word.endsWith(".md"));
  const isChecked = (page: string) => globs.some((glob) => matchesGlob(page, glob));
  let count = 0;
  for (const [page, text] of PAGES) {
    const fences = [...text.matchAll(/^ *```(ts|js)\b(.*)$/gm)];
    count += fences.length;
    // A test of its own runs that one.
    const skipped = page === "docs/channels/websocket.md" ? ["js ignore"] : [];
    for (const [, language, attributes] of fences) {
      const isRun = language === "ts" && attributes === "" && isChecked(page);
      assert.ok(isRun || skipped.includes(`${language}${attributes}`), `${page}: ${language}`);
    }
  }
  assert.ok(count > 5, `${count} programs were found`);
});
