/**
 * Runs the checks side by side, each within its time, and tells what they find in their order.
 * @module
 */

import { redact } from "../../../actors/config/redact.ts";
import { Deadline } from "../../../actors/kernel/deadline.ts";
import { asError } from "../../../actors/kernel/errors.ts";
import { untilAborted } from "../../../actors/kernel/aborting.ts";
import { type Check, type DoctorScene, fault, type Finding } from "./finding.ts";

/** What one check found. */
export interface Examined extends Finding {
  readonly check: string;
}

/** Looks at everything; `tell` hears of each check's findings as soon as those before are told. */
export async function examine(
  checks: readonly Check[],
  scene: DoctorScene,
  tell: (found: readonly Examined[]) => void,
): Promise<readonly Examined[]> {
  let locked: Promise<unknown> = Promise.resolve();
  const running = checks.map((check) => {
    if (check.takesLocks !== true) return look(check, scene);
    const looking = locked.then(() => look(check, scene));
    locked = looking;
    return looking;
  });
  const all: Examined[] = [];
  for (const looking of running) {
    const found = await looking;
    tell(found);
    all.push(...found);
  }
  return all;
}

async function look(check: Check, scene: DoctorScene): Promise<readonly Examined[]> {
  const findings = await lookWithin(check, scene);
  const secrets = scene.loaded?.secrets.values ?? [];
  const clean = (text: string) => redact(text.replaceAll(/[\s\p{Cc}]+/gu, " ").trim(), secrets);
  return findings.map(({ state, detail, fix }) => ({
    check: check.name,
    state,
    detail: clean(detail),
    fix: fix === null ? null : clean(fix),
  }));
}

async function lookWithin(check: Check, scene: DoctorScene): Promise<readonly Finding[]> {
  using limit = new Deadline(scene.world.clock, check.timeoutMs);
  try {
    return await untilAborted(check.run(scene, limit.signal), limit.signal);
  } catch (error) {
    if (limit.hasPassed) {
      return [
        fault(
          `no answer within ${check.timeoutMs / 1_000} s`,
          "try again; status and the log may tell more",
        ),
      ];
    }
    return [fault(asError(error).message, null)];
  }
}
