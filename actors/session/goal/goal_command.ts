/**
 * The slash command `/goal`.
 * @module
 */

import type { CommandScene } from "../command_scene.ts";
import { commandReply } from "../interruption.ts";
import type { Goal } from "./goal.ts";
import { parseGoalWish } from "./goal_wish.ts";
import {
  GOAL_STOPPED,
  GOAL_UNDER_WAY,
  NO_GOAL,
  NOTHING_TO_GO_ON,
  NOTHING_TO_STOP,
  setText,
  shownText,
  unclearText,
} from "./goal_text.ts";

/** Carries it out. @throws {JournalError} when it has to be repeated */
export async function goal(scene: CommandScene): Promise<void> {
  const { argument, goals, log, command } = scene;
  const wish = parseGoalWish(argument, goals.limits);
  switch (wish.type) {
    case "show": {
      const { goal, use } = await goals.read();
      return await reply(scene, goal === null ? NO_GOAL : shownText(goal, use));
    }
    case "unclear":
      return await reply(scene, unclearText(wish.why));
    case "stop":
      return await reply(scene, await goals.stop(log) ? GOAL_STOPPED : NOTHING_TO_STOP);
    case "go_on": {
      const goal = await goals.goOn((goal, notes) => begin(scene, goal, notes));
      return goal === null ? await reply(scene, NOTHING_TO_GO_ON) : undefined;
    }
    case "set": {
      const { text, budget } = wish;
      const goal = await goals.set(
        { text, budget, command },
        (goal, notes) => begin(scene, goal, notes),
      );
      return goal === null ? await reply(scene, GOAL_UNDER_WAY) : undefined;
    }
  }
}

/** The goal is durable with the command's end. */
async function begin(
  { log, command }: CommandScene,
  goal: Goal,
  notes: NonNullable<Parameters<CommandScene["log"]["commit"]>[0]["notes"]>,
): Promise<void> {
  await log.commit({
    inbounds: [{ seq: command.seq, state: "done" }],
    outbounds: commandReply(command, setText(goal)),
    notes,
  });
}

async function reply({ log, command }: CommandScene, content: string): Promise<void> {
  await log.commit({
    inbounds: [{ seq: command.seq, state: "done" }],
    outbounds: commandReply(command, content),
  });
}
