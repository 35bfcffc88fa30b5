import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import { codexTokenFile, codexTokens } from "../../providers/auth/codex_tokens.ts";
import { copilotTokenFile, copilotTokens } from "../../providers/auth/copilot_tokens.ts";
import { CopilotProvider } from "../../providers/github_copilot.ts";
import { CodexProvider } from "../../providers/openai_codex.ts";
import type { ChatEvent, ChatResponse, Provider } from "../../providers/provider.ts";
import { withRetry } from "../../providers/retry.ts";
import type { Protocol } from "../simulators/model/protocol.ts";
import type { StreamStep } from "../simulators/model_server.ts";
import { askAll } from "../support/chat.ts";
import { answerFetch } from "../support/fetch_stub.ts";
import { ManualClock } from "../support/manual_clock.ts";
import {
  backendOptions,
  chosen,
  connect,
  type ConnectOptions,
  STALL_MS,
} from "../support/providers.ts";
import { bodyOf, cut, damage, type Story, storyWith } from "../support/stream_story.ts";
import { type TemporaryFolder, temporaryFolder } from "../support/temporary_folder.ts";

/** A backend, and what its server speaks. */
interface Speaker {
  readonly name: string;
  readonly protocol: Protocol;
  /** Stories are told this often; those who share a protocol's code are told fewer. */
  readonly runs: number;
  /** @param folder for the tokens of a sign-in */
  open(folder: string): Promise<Connect>;
}

type Connect = (clock: ManualClock) => Provider;

const baseUrl = "http://127.0.0.1:1/v1";
const apiType = "responses";
const MANY = 150;
const FEW = 40;

function keyed(
  name: string,
  [protocol, runs]: readonly [Protocol, number],
  options: Omit<ConnectOptions, "baseUrl" | "clock"> = {},
): Speaker {
  const open = (): Promise<Connect> =>
    Promise.resolve((clock) => connect({ ...options, baseUrl, clock }));
  return { name, protocol, runs, open };
}

const SPEAKERS: readonly Speaker[] = [
  keyed("chat completions", ["chat_completions", MANY]),
  keyed("Anthropic", ["messages", MANY], { vendor: "anthropic" }),
  keyed("OpenAI's Responses", ["responses", MANY], { vendor: "openai", section: { apiType } }),
  keyed("Azure", ["responses", FEW], { vendor: "azure_openai" }),
  { name: "Codex", protocol: "responses", runs: FEW, open: openCodex },
  {
    name: "Copilot",
    protocol: "chat_completions",
    runs: FEW,
    open: (folder) => openCopilot(folder, "test-model"),
  },
  {
    name: "Copilot's Responses",
    protocol: "responses",
    runs: FEW,
    open: (folder) => openCopilot(folder, "gpt-5"),
  },
];

async function openCodex(folder: string): Promise<Connect> {
  const { clock, newId } = backendOptions(new ManualClock());
  const expires = clock.now() + 3_600_000;
  await codexTokenFile(folder, newId).write({ access: "a", refresh: "r", expires });
  const tokens = codexTokens(folder, { clock, newId, homeFolder: folder });
  await tokens.get(); // From here on they are at hand.
  const choice = chosen({ baseUrl, vendor: "openai_codex" });
  return (clock) => new CodexProvider(choice, { ...backendOptions(clock), tokens });
}

async function openCopilot(folder: string, model: string): Promise<Connect> {
  const { clock, newId } = backendOptions(new ManualClock());
  const copilot = { token: "t", expiresAtMs: clock.now() + 3_600_000 };
  await copilotTokenFile(folder, newId).write({ access: "a", copilot });
  const tokens = copilotTokens(folder, { clock, newId });
  await tokens.get();
  const choice = chosen({ baseUrl, vendor: "github_copilot" });
  return (clock) => {
    const provider = new CopilotProvider(choice, { ...backendOptions(clock), tokens });
    const { name } = provider;
    return { name, chat: (request, signal) => provider.chat({ ...request, model }, signal) };
  };
}

/** A speaker that is ready to talk; dispose of it. */
class Stage implements AsyncDisposable {
  readonly #folder: TemporaryFolder;
  readonly #protocol: Protocol;
  readonly #connect: Connect;

  static async open({ protocol, open }: Speaker): Promise<Stage> {
    await using opening = new AsyncDisposableStack();
    const folder = opening.use(await temporaryFolder());
    const connect = await open(folder.path);
    opening.move();
    return new Stage(folder, protocol, connect);
  }

  private constructor(folder: TemporaryFolder, protocol: Protocol, connect: Connect) {
    this.#folder = folder;
    this.#protocol = protocol;
    this.#connect = connect;
  }

  /** What comes of a story that is told once. */
  play(story: Story): Promise<readonly ChatEvent[]> {
    return this.#ask([story], (provider) => provider);
  }

  /** What comes of stories that are told one after the other, while asking again helps. */
  playWithRetries(stories: readonly Story[]): Promise<readonly ChatEvent[]> {
    const random = { next: () => 0 };
    return this.#ask(stories, (provider, clock) => withRetry(provider, { clock, random }));
  }

  /** The right answer. */
  async rightAnswer(steps: readonly StreamStep[]): Promise<ChatResponse> {
    const story: Story = { steps, sizes: [], pauses: new Set(), harm: { type: "none" } };
    const response = checkEvents(await this.play(story));
    assert.ok(response !== undefined);
    return response;
  }

  /** The test fails when it takes forever. */
  async #ask(
    stories: readonly Story[],
    wrap: (provider: Provider, clock: ManualClock) => Provider,
  ): Promise<readonly ChatEvent[]> {
    const waiting = [...stories];
    using _ = answerFetch(() => {
      const story = waiting.shift();
      assert.ok(story !== undefined, "nobody asks more often than there are stories");
      return bodyOf(this.#protocol, story);
    });
    const clock = new ManualClock();
    let seen: readonly ChatEvent[] | undefined;
    const asking = askAll(wrap(this.#connect(clock), clock)).then((all) => seen = all);
    for (let turn = 0; seen === undefined && turn < 1_000 * stories.length; turn++) {
      if (turn % 200 > 100) await clock.advance(STALL_MS);
      else await setImmediate();
    }
    assert.ok(seen !== undefined, "the call never ended");
    await asking;
    assert.equal(clock.pending, 0);
    return seen;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#folder[Symbol.asyncDispose]();
  }
}

/** What holds whatever happened. */
function checkEvents(events: readonly ChatEvent[]): ChatResponse | undefined {
  const last = events.at(-1);
  assert.ok(last?.type === "finished" || last?.type === "failed", JSON.stringify(last));
  const shown = events.slice(events.findLastIndex(({ type }) => type === "restarted") + 1, -1);
  if (last.type === "failed") {
    assert.match(last.error.userText, /^The model request failed: ./);
    return undefined;
  }
  assert.ok(shown.every(({ type }) => ["text", "reasoning", "waiting"].includes(type)));
  const text = shown.map((event) => event.type === "text" ? event.text : "").join("");
  assert.equal(last.response.content ?? "", text, "what was shown is what was said, once");
  for (const { call, parsed } of last.response.calls) {
    if (parsed.state === "ok") assert.deepEqual(parsed.value, JSON.parse(call.function.arguments));
  }
  return last.response;
}

/** Without the counts, which may come behind the last word. */
function withoutUsage({ usage: _, ...rest }: ChatResponse): Omit<ChatResponse, "usage"> {
  return rest;
}

for (const speaker of SPEAKERS) {
  const { name, runs } = speaker;

  Deno.test(`Streams of ${name} are read alike however they are cut and delayed`, async () => {
    await using stage = await Stage.open(speaker);
    const harmless = storyWith(fc.constant({ type: "none" }));
    await fc.assert(
      fc.asyncProperty(harmless, async (story) => {
        const response = checkEvents(await stage.play(story));
        assert.deepEqual(response, await stage.rightAnswer(story.steps));
      }),
      { numRuns: Math.ceil(runs * 0.4) },
    );
  });

  Deno.test(`Streams of ${name} that are cut give the right answer or an error`, async () => {
    await using stage = await Stage.open(speaker);
    await fc.assert(
      fc.asyncProperty(storyWith(cut), async (story) => {
        const events = await stage.play(story);
        const response = checkEvents(events);
        if (response !== undefined) {
          const right = withoutUsage(await stage.rightAnswer(story.steps));
          assert.deepEqual(withoutUsage(response), right);
          return;
        }
        const last = events.at(-1);
        assert.ok(last?.type === "failed");
        assert.equal(last.error.recovery, "retry");
      }),
      { numRuns: runs },
    );
  });

  Deno.test(`Streams of ${name} that are damaged end, and show text once`, async () => {
    await using stage = await Stage.open(speaker);
    await fc.assert(
      fc.asyncProperty(storyWith(damage), async (story) => {
        checkEvents(await stage.play(story));
      }),
      { numRuns: runs },
    );
  });

  Deno.test(`Streams of ${name} that are cut and asked for again come out right`, async () => {
    await using stage = await Stage.open(speaker);
    const broken = fc.array(storyWith(cut), { minLength: 1, maxLength: 3 });
    const whole = storyWith(fc.constant({ type: "none" }));
    await fc.assert(
      fc.asyncProperty(broken, whole, async (harmed, last) => {
        // The model says the same each time; what happens to it differs.
        const stories = [...harmed, last].map((story) => ({ ...story, steps: last.steps }));
        const response = checkEvents(await stage.playWithRetries(stories));
        assert.ok(response !== undefined, "three retries are enough");
        const right = withoutUsage(await stage.rightAnswer(last.steps));
        assert.deepEqual(withoutUsage(response), right);
      }),
      { numRuns: Math.ceil(runs * 0.3) },
    );
  });
}
