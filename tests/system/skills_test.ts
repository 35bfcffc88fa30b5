import assert from "node:assert/strict";
import { join } from "node:path";
import { systemClock } from "../../actors/kernel/adapters/system_clock.ts";
import { bundledSkillsFolder } from "../../actors/session/skills/adapters/bundled_skills.ts";
import { NetBoundary } from "../../actors/tools/net/boundary.ts";
import { BwrapLevel } from "../../actors/tools/shell/adapters/bwrap_level.ts";
import { ENV, runAt, shellGround } from "../contract/shell_level.ts";
import { until } from "../support/until.ts";

const BUNDLED = bundledSkillsFolder("/nowhere");
const CREATOR = join(BUNDLED, "skill-creator/scripts");
const TMUX = join(BUNDLED, "tmux/scripts");
const ON_SERVER = "tmux -S .tmux.sock";

Deno.test("Scripts of bundled skills run in the sandbox, which shows their folder read-only", async () => {
  await using ground = await shellGround();
  await using level = await open(ground.scope);
  const run = (command: string) => runAt(level, command, ground.workspace);
  const { stdout } = await run(
    `sh ${CREATOR}/init.sh tea --path skills && sh ${CREATOR}/check.sh ${BUNDLED}/weather; ` +
      `touch ${BUNDLED}/x || echo refused`,
  );
  assert.match(stdout, /Made skills\/tea\n.*weather is fine\nrefused/);
});

Deno.test("A terminal lives on between commands, as the skill tmux says", async () => {
  await using ground = await shellGround();
  await using level = await open(ground.scope);
  const run = async (command: string) => (await runAt(level, command, ground.workspace)).stdout;
  await using server = await level.start({
    command: `${ON_SERVER} -f /dev/null -D`,
    folder: ground.workspace,
    hasInput: true,
    timeoutMs: 60_000,
  });
  void server.stdout.cancel();
  void server.stderr.cancel();
  // Not by a server of its own, which would end with this command.
  await until(async () => /up/.test(await run(`${ON_SERVER} -N new-session -d -s t && echo up`)), {
    what: "the server",
  });
  await until(async () => /\S/.test(await run(`${ON_SERVER} capture-pane -p -t t`)), {
    what: "the prompt",
    timeoutMs: 60_000,
  });
  const said = await run(
    `${ON_SERVER} send-keys -t t -l 'echo "hel""lo"' && ${ON_SERVER} send-keys -t t Enter; ` +
      `sh ${TMUX}/wait-for-text.sh -S .tmux.sock -t t -p '^hello'; echo "waited $?"; ` +
      `sh ${TMUX}/wait-for-text.sh -S .tmux.sock -t t -F -p 'never' -T 1 >/dev/null; echo "then $?"`,
  );
  assert.match(said, /waited 0\nthen 1/);
  assert.match(
    await run(`sh ${TMUX}/find-sessions.sh -S .tmux.sock -q T`),
    /^t\t1 windows\tdetached/,
  );
  await run(`${ON_SERVER} kill-server`);
});

function open(
  scope: Parameters<typeof BwrapLevel.open>[0]["scope"],
): Promise<BwrapLevel> {
  return BwrapLevel.open({
    clock: systemClock,
    scope: { ...scope, readableRoots: [BUNDLED] },
    env: ENV,
    network: "none",
    boundary: new NetBoundary({ allowedRanges: [], allowedHosts: [] }),
  });
}
