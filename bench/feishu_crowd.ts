/**
 * A gateway process between Feishu's simulator and a model server, and people who write to it.
 * @module
 */

import { z } from "zod";
import type { JsonObject } from "../actors/kernel/json.ts";
import { GatewayHome, GatewayProcess } from "../tests/support/gateway_process.ts";
import { until } from "../tests/support/until.ts";
import { FeishuPlatform, NO_LIMITS, type Said } from "../tests/simulators/feishu_server.ts";
import {
  type ModelReply,
  ModelServer,
  type RecordedRequest,
} from "../tests/simulators/model_server.ts";

/** How long a gateway may take to answer everything that waits. */
const QUIET_MS = 300_000;
const RECHECK_MS = 50;

const health = z.object({
  queue: z.object({ accepted: z.number(), running: z.number(), outbound: z.number() }),
});

/** Everything around a gateway; hold it with `await using`. */
export class FeishuCrowd implements AsyncDisposable {
  readonly platform: FeishuPlatform;
  readonly model: ModelServer;
  readonly home: GatewayHome;
  readonly #owned: AsyncDisposableStack;

  /** @param reply what the model answers */
  static async gather(reply: (request: RecordedRequest) => ModelReply): Promise<FeishuCrowd> {
    await using opening = new AsyncDisposableStack();
    const platform = opening.use(
      await FeishuPlatform.start({ limits: NO_LIMITS, keepsConnections: true }),
    );
    const model = opening.use(await ModelServer.start(reply));
    const home = opening.use(await GatewayHome.make());
    return new FeishuCrowd({ platform, model, home }, opening.move());
  }

  private constructor(
    { platform, model, home }: Pick<FeishuCrowd, "platform" | "model" | "home">,
    owned: AsyncDisposableStack,
  ) {
    this.platform = platform;
    this.model = model;
    this.home = home;
    this.#owned = owned;
  }

  /** @param defaults merged over `agents.defaults` */
  startGateway(defaults: JsonObject = {}): Promise<GatewayProcess> {
    const { home, model, platform: feishu } = this;
    return GatewayProcess.start(home, { model, feishu, defaults });
  }

  /** Each person writes each text, one person after the other. */
  say(people: readonly string[], texts: readonly string[]): Said[] {
    return texts.flatMap((text) =>
      people.map((openId) => this.platform.userSays({ openId, text: `${text} from ${openId}` }))
    );
  }

  /** Waits until nothing waits inside the gateway, neither messages nor answers. */
  async quiet(gateway: GatewayProcess): Promise<void> {
    await until(async () => {
      const { queue } = health.parse(await gateway.health());
      if (queue.accepted + queue.running + queue.outbound === 0) return true;
      await new Promise<void>((resolve) => setTimeout(resolve, RECHECK_MS));
      return false;
    }, { timeoutMs: QUIET_MS, what: "an empty queue" });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#owned.disposeAsync();
  }
}
