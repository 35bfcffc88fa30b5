import assert from "node:assert/strict";
import { chooseLevel, type LevelCandidate } from "../../../../actors/tools/shell/choose_level.ts";
import type { ShellLevel, ShellLevelName } from "../../../../actors/tools/shell/level.ts";
import type { ProbeResult } from "../../../../actors/tools/shell/probe.ts";

class NamedLevel implements ShellLevel {
  readonly description: string = "a level for tests";
  isDisposed = false;
  readonly name: ShellLevelName;

  constructor(name: ShellLevelName) {
    this.name = name;
  }

  start(): Promise<never> {
    return Promise.reject(new TypeError("nothing runs here"));
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.isDisposed = true;
    return Promise.resolve();
  }
}

function bench(broken: readonly ShellLevelName[], absent: readonly ShellLevelName[] = []): {
  readonly levels: readonly NamedLevel[];
  readonly candidates: readonly LevelCandidate[];
  readonly probe: (level: ShellLevel) => Promise<ProbeResult>;
} {
  const levels: NamedLevel[] = [];
  const candidates = (["bwrap", "virtual", "process"] as const).map((name) => ({
    name,
    open: () => {
      if (absent.includes(name)) return Promise.reject(new TypeError("it is not installed"));
      const level = new NamedLevel(name);
      levels.push(level);
      return Promise.resolve(level);
    },
    fix: `mend ${name}`,
  }));
  const probe = ({ name }: ShellLevel): Promise<ProbeResult> =>
    Promise.resolve(
      broken.includes(name) ? { state: "broken", problem: "it leaks" } : { state: "works" },
    );
  return { levels, candidates, probe };
}

Deno.test.each(
  [
    { broken: [], absent: [], level: "bwrap", passedOver: 0 },
    { broken: ["bwrap"], absent: [], level: "virtual", passedOver: 1 },
    { broken: [], absent: ["bwrap"], level: "virtual", passedOver: 1 },
    { broken: ["virtual"], absent: ["bwrap"], level: "process", passedOver: 2 },
  ] as const,
)(
  "auto takes $level, the strongest that works",
  async ({ broken, absent, level, passedOver }) => {
    const { candidates, probe, levels } = bench(broken, absent);
    const choice = await chooseLevel("auto", candidates, probe);
    assert.ok(choice.state === "chosen");
    assert.equal(choice.level.name, level);
    assert.equal(choice.passedOver.length, passedOver);
    const kept = levels.filter(({ isDisposed }) => !isDisposed).map(({ name }) => name);
    assert.deepEqual(kept, [level], "what was tried and not taken is disposed of");
  },
);

Deno.test.each([{ wanted: "bwrap" }, { wanted: "virtual" }, { wanted: "process" }] as const)(
  "$wanted, asked for by name, is never replaced",
  async ({ wanted }) => {
    const { candidates, probe, levels } = bench([wanted]);
    const choice = await chooseLevel(wanted, candidates, probe);
    assert.ok(choice.state === "none");
    assert.equal(choice.problem, `${wanted} does not work here: it leaks (mend ${wanted})`);
    assert.ok(levels.every(({ isDisposed }) => isDisposed));
  },
);

Deno.test("Without any level that works there is none", async () => {
  const { candidates, probe } = bench(["bwrap", "virtual", "process"]);
  assert.equal((await chooseLevel("auto", candidates, probe)).state, "none");
});
