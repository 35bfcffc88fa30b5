import assert from "node:assert/strict";
import {
  findingCommand,
  foundNames,
  RequirementCheck,
  type Requirements,
} from "../../../../actors/session/skills/requirements.ts";
import type { Skill, SkillNeeds } from "../../../../actors/session/skills/skill.ts";
import { LogRecorder } from "../../../support/log_recorder.ts";
import { ManualClock } from "../../../support/manual_clock.ts";
import { until } from "../../../support/until.ts";

function needing(needs: Partial<SkillNeeds>): Skill {
  return {
    ...{ folderName: "x", name: null, description: "x", source: "bundled", isAlways: false },
    ...{ folder: "/x", path: "/x/SKILL.md", body: "" },
    needs: { bins: [], anyBins: [], env: [], os: [], tools: [], ...needs },
  };
}

/** A check whose answers the test gives, and what was asked. */
function bench(answer: () => Promise<Requirements>) {
  const clock = new ManualClock();
  const asked: Requirements[] = [];
  const check = new RequirementCheck({
    clock,
    os: "linux",
    hasTool: (name) => name === "exec",
    find: (wanted) => {
      asked.push(wanted);
      return answer();
    },
  });
  const missing = async (needs: Partial<SkillNeeds>) =>
    (await check.listed([needing(needs)]))[0]?.missing;
  return { clock, asked, check, missing };
}

Deno.test("RequirementCheck says what is missing, each kind by its name", async () => {
  const { missing, asked } = bench(() => Promise.resolve({ bins: ["a"], env: ["SET"] }));
  assert.deepEqual(await missing({ os: ["darwin"], tools: ["exec", "cron"] }), [
    "OS: darwin",
    "TOOL: cron",
  ]);
  assert.equal(asked.length, 0, "nothing to ask");
  assert.deepEqual(await missing({ bins: ["a", "b"], anyBins: ["a", "c"], env: ["SET", "T"] }), [
    "CLI: b",
    "ENV: T",
  ]);
  assert.deepEqual(await missing({ anyBins: ["c"] }), ["CLI: c"]);
});

Deno.test("RequirementCheck asks again in a while, beside the prompt", async () => {
  let bins: string[] = [];
  const { clock, asked, missing } = bench(() => Promise.resolve({ bins, env: [] }));
  assert.deepEqual(await missing({ bins: ["gh"] }), ["CLI: gh"]);
  bins = ["gh"];
  assert.deepEqual(await missing({ bins: ["gh"] }), ["CLI: gh"]);
  assert.equal(asked.length, 1);
  await clock.advance(5 * 60_000);
  await missing({ bins: ["gh"] });
  await until(() => asked.length === 2, { what: "the second question" });
  assert.deepEqual(await missing({ bins: ["gh"] }), []);
});

Deno.test("RequirementCheck waits a moment at most, and counts nothing as missing until it knows", async () => {
  const { clock, missing } = bench(() => new Promise(() => {}));
  const answer = missing({ bins: ["gh"] });
  await clock.advance(1_500);
  assert.deepEqual(await answer, []);
});

Deno.test("RequirementCheck goes on without an answer, and says so once", async () => {
  await using logs = await LogRecorder.start();
  const { asked, missing } = bench(() => Promise.reject(new Error("no shell today")));
  assert.deepEqual(await missing({ bins: ["gh"] }), []);
  assert.deepEqual(await missing({ bins: ["gh"] }), []);
  assert.equal(asked.length, 1);
  assert.equal(logs.warnings("no shell today").length, 1);
});

Deno.test("The command finds programs and variables in a real shell", async () => {
  const command = findingCommand({
    bins: ["sh", "no-such-program"],
    env: ["FULL", "EMPTY", "NONE"],
  });
  const { stdout } = await new Deno.Command("sh", {
    args: ["-c", command],
    env: { FULL: "1", EMPTY: "" },
  }).output();
  assert.deepEqual(foundNames(new TextDecoder().decode(stdout)), { bins: ["sh"], env: ["FULL"] });
  assert.deepEqual(foundNames(""), { bins: [], env: [] });
});
