import assert from "node:assert/strict";
import { join } from "node:path";
import { systemdUnit } from "../../channels/cli/service/systemd.ts";
import { temporaryFolder } from "../support/temporary_folder.ts";

const analyze = "/usr/bin/systemd-analyze";
const hasSystemd = await Deno.stat(analyze).then(() => true, () => false);

Deno.test("systemd finds nothing wrong with the service's unit", {
  ignore: !hasSystemd,
}, async () => {
  await using folder = await temporaryFolder();
  const unit = join(folder.path, "troupe.service");
  const text = systemdUnit({
    command: [Deno.execPath(), "run", "--allow-env=A,B", 'a "quoted" $word', "50%"],
    folder: folder.path,
    environmentFile: join(folder.path, "service.env"),
    environment: { PATH: "/usr/bin:/opt/with space/bin" },
  });
  await Deno.writeTextFile(unit, text);
  const { code, stderr } = await new Deno.Command(analyze, {
    args: ["verify", "--user", "--man=no", unit],
    env: { XDG_RUNTIME_DIR: folder.path },
  }).output();
  // What it says of other units of the machine is not ours.
  const ours = new TextDecoder().decode(stderr).split("\n")
    .filter((line) => line.includes("troupe"));
  assert.deepEqual([code, ours], [0, []]);
});
