import { GatewayHome, GatewayProcess } from "../support/gateway_process.ts";
import { until } from "../support/until.ts";
import { FeishuPlatform, NO_LIMITS } from "../simulators/feishu_server.ts";
import { ModelServer } from "../simulators/model_server.ts";
import { checkFiles, checkNothingLost } from "./check.ts";
import { answerMarks, marked } from "./marked_talk.ts";

const SHORT_REDELIVERY = { acknowledgeWithinMs: 300, delaysMs: [300, 1_000, 2_000, 5_000, 10_000] };

/** What stands still so that a kill meets an exact point of a message's way. */
interface Stage {
  readonly platform: FeishuPlatform;
  readonly model: ModelServer;
  readonly home: GatewayHome;
  /**
   * Holds the model's answer number `index` back, before its headers or behind its first words.
   *
   * @param until what lets it go on; `cleared` if left out
   */
  holdAnswer(index: number, where: "headers" | "text", until?: Promise<void>): void;
  /** A promise that is kept when the stage is cleared. */
  readonly cleared: Promise<void>;
}

/** A labelled point: arranges it, sends `mark0`, and returns when the point is reached. */
type Point = (stage: Stage, say: () => Promise<unknown>) => Promise<void>;

const points: Readonly<Record<string, Point>> = {
  "just received": (_stage, say) => {
    void say();
    return Promise.resolve();
  },
  "just accepted": async (_stage, say) => {
    await say();
  },
  "before the model answers": async (stage, say) => {
    stage.holdAnswer(0, "headers");
    void say();
    await until(() => stage.model.requests.length === 1);
  },
  "while the answer streams": async (stage, say) => {
    stage.holdAnswer(1, "text");
    void say();
    await until(() => stage.platform.chat("ou_alice").fromBot.length === 1, { timeoutMs: 15_000 });
  },
  "between two tool rounds": async (stage, say) => {
    stage.holdAnswer(1, "headers");
    void say();
    await until(() => stage.model.requests.length === 2);
  },
  "as the model has said its last word": async (stage, say) => {
    void say();
    await until(() => stage.model.requests[1]?.end === "finished");
  },
  "after the card was made, before the platform told": async (stage, say) => {
    const fault = { kind: "wait", gate: stage.cleared, at: "after" } as const;
    const planted = stage.platform.faults.plant("cardkit.card.create", fault);
    stage.holdAnswer(1, "text"); // an answer that is there at once needs no card
    void say();
    await until(() => planted.strikes === 1, { timeoutMs: 15_000 });
  },
  "after the message was sent, before the platform told": async (stage, say) => {
    const fault = { kind: "wait", gate: stage.cleared, at: "after" } as const;
    const planted = stage.platform.faults.plant("im.message.create", fault);
    void say();
    await until(() => planted.strikes === 1, { timeoutMs: 15_000 });
  },
  "after the card was closed, before the platform told": async (stage, say) => {
    const fault = { kind: "wait", gate: stage.cleared, at: "after" } as const;
    const planted = stage.platform.faults.plant("cardkit.card.settings", fault);
    const { promise: shown, resolve: goOn } = Promise.withResolvers<void>();
    stage.holdAnswer(1, "text", shown);
    void say();
    await until(() => stage.platform.chat("ou_alice").fromBot.length === 1, { timeoutMs: 15_000 });
    goOn();
    await until(() => planted.strikes === 1, { timeoutMs: 15_000 });
  },
};

for (const [name, reach] of Object.entries(points)) {
  Deno.test(`A gateway that is killed ${name} answers once after its restart`, async () => {
    await using home = await GatewayHome.make();
    await using platform = await FeishuPlatform.start({
      redelivery: SHORT_REDELIVERY,
      limits: NO_LIMITS,
    });
    const { promise: cleared, resolve: clear } = Promise.withResolvers<void>();
    const held = new Map<number, { where: "headers" | "text"; until: Promise<void> }>();
    await using model = await ModelServer.start((request) => {
      const reply = answerMarks(request);
      const hold = held.get(request.index);
      if (hold === undefined || !("steps" in reply)) return reply;
      if (hold.where === "headers") return { ...reply, headersAfter: hold.until };
      const [first, ...rest] = reply.steps;
      if (first === undefined) return reply;
      return { ...reply, steps: [first, { type: "pause", until: hold.until }, ...rest] };
    });
    const stage: Stage = {
      platform,
      model,
      home,
      holdAnswer: (index, where, until = cleared) => void held.set(index, { where, until }),
      cleared,
    };
    const options = { model, feishu: platform };
    {
      await using gateway = await GatewayProcess.start(home, options);
      await platform.connected({ timeoutMs: 30_000 });
      await reach(
        stage,
        () => platform.userSays({ text: marked(0, { runsCommand: true }) }).acknowledged,
      );
      await gateway.kill();
    }
    clear();
    held.clear();
    {
      // Killed once more while it recovers.
      await using gateway = await GatewayProcess.start(home, options);
      await gateway.kill();
    }
    await using gateway = await GatewayProcess.start(home, options);
    await checkNothingLost({ home, platform, messages: 1, timeoutMs: 30_000 });
    await gateway.stop();
    await checkFiles(home);
  });
}
