/**
 * What skills need, and whether commands have it: asked of the shell itself, as only it knows what
 * its level lets commands see.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import type { Clock } from "../../kernel/clock.ts";
import { asError } from "../../kernel/errors.ts";
import type { ListedSkill, Skill, SkillNeeds } from "./skill.ts";

const logger = getLogger(["troupe", "session", "skills"]);

/** Longest that a prompt waits to know; until then nothing counts as missing. */
const FIRST_ANSWER_MS = 1_500;
/** Programs are installed while the gateway runs, but not often. */
const FRESH_MS = 5 * 60_000;

/** Programs and variables by their names. */
export interface Requirements {
  readonly bins: readonly string[];
  readonly env: readonly string[];
}

/** What `requirements` works with. */
export interface RequirementsOptions {
  readonly clock: Clock;
  /** As Deno names it. */
  readonly os: string;
  readonly hasTool: (name: string) => boolean;
  /** Those of the names that commands have. */
  readonly find: (wanted: Requirements) => Promise<Requirements>;
}

/** What was found, and when. */
interface Found {
  readonly asked: Requirements;
  readonly has: Requirements;
  readonly atMs: number;
}

/** Says what skills lack. One answer serves for minutes; a newer one is fetched beside. */
export class RequirementCheck {
  readonly #options: RequirementsOptions;
  #found: Found | null = null;
  #finding: Promise<void> | null = null;

  constructor(options: RequirementsOptions) {
    this.#options = options;
  }

  /** Each skill with what it lacks. Never rejects. */
  async listed(skills: readonly Skill[]): Promise<readonly ListedSkill[]> {
    const wanted = wantedOf(skills);
    if (wanted.bins.length + wanted.env.length > 0) await this.#know(wanted);
    return skills.map((skill) => ({ skill, missing: this.#missing(skill.needs) }));
  }

  async #know(wanted: Requirements): Promise<void> {
    const { clock } = this.#options;
    const found = this.#found;
    if (found !== null && covers(found.asked, wanted)) {
      if (clock.now() - found.atMs >= FRESH_MS) void this.#find(wanted);
      return;
    }
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const timer = clock.setTimer(FIRST_ANSWER_MS, resolve);
    await Promise.race([this.#find(wanted), late]);
    timer.cancel();
  }

  /** One question at a time. */
  #find(wanted: Requirements): Promise<void> {
    return this.#finding ??= this.#ask(wanted).finally(() => this.#finding = null);
  }

  async #ask(asked: Requirements): Promise<void> {
    const { clock, find } = this.#options;
    try {
      this.#found = { asked, has: await find(asked), atMs: clock.now() };
    } catch (error) {
      const reason = asError(error).message;
      logger.warn("Cannot find out what skills lack: {reason}", { reason });
      // Asked again in a while, not before each model call.
      this.#found = { asked, has: this.#found?.has ?? asked, atMs: clock.now() };
    }
  }

  #missing({ bins, anyBins, env, os, tools }: SkillNeeds): readonly string[] {
    const { has, asked } = this.#found ?? { has: NOTHING, asked: NOTHING };
    const lacksBin = (name: string) => asked.bins.includes(name) && !has.bins.includes(name);
    const lacksEnv = (name: string) => asked.env.includes(name) && !has.env.includes(name);
    const isHere = os.length === 0 || os.includes(this.#options.os);
    return [
      ...(isHere ? [] : [`OS: ${os.join(" or ")}`]),
      ...tools.filter((name) => !this.#options.hasTool(name)).map((name) => `TOOL: ${name}`),
      ...bins.filter(lacksBin).map((name) => `CLI: ${name}`),
      ...(anyBins.length > 0 && anyBins.every(lacksBin) ? [`CLI: ${anyBins.join(" or ")}`] : []),
      ...env.filter(lacksEnv).map((name) => `ENV: ${name}`),
    ];
  }
}

const NOTHING: Requirements = { bins: [], env: [] };

function wantedOf(skills: readonly Skill[]): Requirements {
  const all = (pick: (needs: SkillNeeds) => readonly string[]) =>
    [...new Set(skills.flatMap(({ needs }) => pick(needs)))].toSorted();
  return { bins: all(({ bins, anyBins }) => [...bins, ...anyBins]), env: all(({ env }) => env) };
}

function covers(asked: Requirements, wanted: Requirements): boolean {
  return wanted.bins.every((name) => asked.bins.includes(name)) &&
    wanted.env.every((name) => asked.env.includes(name));
}

/** A command that prints the names that it finds, each after its kind. */
export function findingCommand({ bins, env }: Requirements): string {
  const lines = [
    ...(bins.length === 0 ? [] : [
      `for name in ${bins.join(" ")}; do`,
      '  if command -v "$name" >/dev/null 2>&1; then echo "CLI $name"; fi',
      "done",
    ]),
    ...env.map((name) => `if [ -n "\${${name}-}" ]; then echo "ENV ${name}"; fi`),
  ];
  return lines.join("\n");
}

/** The names that such a command printed. */
export function foundNames(stdout: string): Requirements {
  const lines = stdout.split("\n").map((line) => line.trim());
  const named = (kind: string) =>
    lines.filter((line) => line.startsWith(kind)).map((line) => line.slice(kind.length));
  return { bins: named("CLI "), env: named("ENV ") };
}
