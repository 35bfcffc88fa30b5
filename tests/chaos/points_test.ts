import { GatewayHome, GatewayProcess } from "../support/gateway_process.ts";
import { until } from "../support/until.ts";
import { FeishuPlatform, NO_LIMITS } from "../simulators/feishu_server.ts";
import { type ModelReply, ModelServer } from "../simulators/model_server.ts";
import { checkFiles, checkNothingLost } from "./check.ts";
import { answerMarks, marked } from "./marked_talk.ts";

const SHORT_REDELIVERY = { acknowledgeWithinMs: 300, delaysMs: [300, 1_000, 2_000, 5_000, 10_000] };
/** A loaded machine may need this long to reach a point. */
const REACH_MS = 30_000;

/** One of the two answers that the model gives to a message. */
type Answer = "command" | "words";

/** Where the model's answer stands still: before its headers, or behind its first words. */
interface Hold {
  readonly where: "headers" | "text";
  readonly until: Promise<void>;
  /** The model was asked. */
  readonly ask: () => void;
}

/** What stands still so that a kill meets an exact point of a message's way. */
class Stage {
  readonly platform: FeishuPlatform;
  readonly model: ModelServer;
  readonly #holds: Map<string, Hold>;
  readonly #cleared: Promise<void>;

  constructor(
    platform: FeishuPlatform,
    model: ModelServer,
    holds: Map<string, Hold>,
    cleared: Promise<void>,
  ) {
    this.platform = platform;
    this.model = model;
    this.#holds = holds;
    this.#cleared = cleared;
  }

  /** Says message `number`, each in a chat of its own; resolves once it is acknowledged. */
  say(number: number): Promise<unknown> {
    const text = marked(number, { runsCommand: true });
    return this.platform.userSays({ openId: person(number), text }).acknowledged;
  }

  /** Waits until the answer to message `number` is seen. */
  async shown(number: number): Promise<void> {
    await until(() => this.platform.chat(person(number)).fromBot.length === 1, {
      timeoutMs: REACH_MS,
      what: "a card",
    });
  }

  /**
   * Holds an answer to message `number` back, until `goesOn` or, if left out, until all is cleared.
   *
   * @returns what resolves once the model is asked for it
   */
  hold(number: number, answer: Answer, where: Hold["where"], goesOn?: Promise<void>) {
    const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
    this.#holds.set(`${answer} mark${number}`, { where, until: goesOn ?? this.#cleared, ask });
    return asked;
  }

  /** Lets the platform do what the next call of `route` wants, and then never answer it. */
  async loseNextAnswer(
    route: "cardkit.card.create" | "im.message.create" | "cardkit.card.settings",
    during: () => Promise<void> | void,
  ): Promise<void> {
    const fault = { kind: "wait", gate: this.#cleared, at: "after" } as const;
    const planted = this.platform.faults.plant(route, fault);
    await during();
    await until(() => planted.strikes === 1, { timeoutMs: REACH_MS, what: `a call of ${route}` });
  }
}

function person(number: number): string {
  return `ou_${number}`;
}

/** Arranges a labelled point for message `number`, says it, and returns when it is reached. */
type Point = (stage: Stage, number: number) => Promise<void>;

/** Points at which a message stands still, and in the end two that it passes. */
const POINTS: Readonly<Record<string, Point>> = {
  "before the model answers": async (stage, number) => {
    const asked = stage.hold(number, "command", "headers");
    void stage.say(number);
    await asked;
  },
  "while the answer streams": async (stage, number) => {
    void stage.hold(number, "words", "text");
    void stage.say(number);
    await stage.shown(number);
  },
  "between two tool rounds": async (stage, number) => {
    const asked = stage.hold(number, "words", "headers");
    void stage.say(number);
    await asked;
  },
  "after the card was made, before the platform told": async (stage, number) => {
    void stage.hold(number, "words", "text"); // an answer that is there at once needs no card
    await stage.loseNextAnswer("cardkit.card.create", () => void stage.say(number));
  },
  "after the message was sent, before the platform told": async (stage, number) => {
    await stage.loseNextAnswer("im.message.create", () => void stage.say(number));
  },
  "after the card was closed, before the platform told": async (stage, number) => {
    const { promise: shown, resolve: goOn } = Promise.withResolvers<void>();
    void stage.hold(number, "words", "text", shown);
    void stage.say(number);
    await stage.shown(number);
    await stage.loseNextAnswer("cardkit.card.settings", goOn);
  },
  "just accepted": async (stage, number) => {
    await stage.say(number);
  },
  "just received": (stage, number) => {
    void stage.say(number);
    return Promise.resolve();
  },
};

const LAST_WORD: Readonly<Record<string, Point>> = {
  "as the model has said its last word": async (stage, number) => {
    void stage.say(number);
    await until(() => stage.model.requests[1]?.end === "finished", { timeoutMs: REACH_MS });
  },
};

Deno.test.each<[string, Readonly<Record<string, Point>>]>([
  ["while messages stand at every point of their way", POINTS],
  ["as the model has said its last word", LAST_WORD],
])("A gateway that is killed %s answers each once after its restart", async (_name, points) => {
  await using home = await GatewayHome.make();
  await using platform = await FeishuPlatform.start({
    redelivery: SHORT_REDELIVERY,
    limits: NO_LIMITS,
  });
  const { promise: cleared, resolve: clear } = Promise.withResolvers<void>();
  const holds = new Map<string, Hold>();
  await using model = await ModelServer.start((request) => {
    const reply = answerMarks(request);
    return holdBack(reply, holds);
  });
  const stage = new Stage(platform, model, holds, cleared);
  const names = Object.keys(points);
  const defaults = { maxConcurrentRequests: names.length };
  const options = { model, feishu: platform, defaults };
  {
    await using gateway = await GatewayProcess.start(home, options);
    await platform.connected({ timeoutMs: REACH_MS });
    for (const [number, reach] of Object.values(points).entries()) await reach(stage, number);
    await gateway.kill();
  }
  clear();
  holds.clear();
  {
    // Killed once more while it recovers.
    await using gateway = await GatewayProcess.start(home, options);
    await gateway.kill();
  }
  await using gateway = await GatewayProcess.start(home, options);
  try {
    await checkNothingLost({ home, platform, messages: names.length, timeoutMs: 60_000 });
  } catch (error) {
    const legend = names.map((name, number) => `mark${number} was killed ${name}`).join("\n");
    throw new Error(`A message was lost or doubled:\n${legend}`, { cause: error });
  }
  await gateway.stop();
  await checkFiles(home);
});

/** The reply with the pause that is wanted in it. */
function holdBack(reply: ModelReply, holds: ReadonlyMap<string, Hold>): ModelReply {
  if (!("steps" in reply)) return reply;
  const [first, ...rest] = reply.steps;
  const [mark = ""] = JSON.stringify(reply).match(/mark\d+/) ?? [];
  const hold = holds.get(`${first?.type === "calls" ? "command" : "words"} ${mark}`);
  if (hold === undefined || first === undefined) return reply;
  hold.ask();
  if (hold.where === "headers") return { ...reply, headersAfter: hold.until };
  return { ...reply, steps: [first, { type: "pause", until: hold.until }, ...rest] };
}
