import assert from "node:assert/strict";
import { join } from "node:path";
import { createTarPacker } from "modern-tar";
import { settleRows } from "../../../../actors/journal/adapters/sqlite_settle.ts";
import { openSqliteJournal } from "../../../../actors/journal/sqlite_journal.ts";
import { unpackBackup } from "../../../../channels/cli/backup/adapters/archive_reader.ts";
import { ArchiveWriter } from "../../../../channels/cli/backup/adapters/archive_writer.ts";
import {
  ABOUT_ENTRY,
  type AboutBackup,
  checkEntryName,
} from "../../../../channels/cli/backup/archive_format.ts";
import { variablesIn, withoutSecrets } from "../../../../channels/cli/backup/blank_secrets.ts";
import { passOverDueJobs } from "../../../../channels/cli/backup/due_jobs.ts";
import { channelEntries } from "../../../../channels/registry.ts";
import { anInbound, anOutbound } from "../../../actors/journal/fixtures.ts";
import { ManualClock } from "../../../support/manual_clock.ts";
import { temporaryFolder } from "../../../support/temporary_folder.ts";

const ABOUT: AboutBackup = {
  ...{ version: 1, program: "1.0.0", madeAt: "2026-01-01T00:00:00.000Z" },
  ...{ hasSecrets: false, hasMedia: true, variables: [] },
};

/** A small backup in a folder. */
async function writeBackup(folder: string, name: string): Promise<string> {
  const path = join(folder, name);
  const big = join(folder, "big");
  await Deno.writeFile(big, new Uint8Array(1_000_000).fill(7));
  await using archive = await ArchiveWriter.begin(path);
  await archive.addText(ABOUT_ENTRY, JSON.stringify(ABOUT));
  await archive.addText("config/config.json", "{}");
  await archive.addFile("workspace/big", big);
  await archive.addFile("workspace/sessions/a.jsonl", big, 10);
  await archive.addText(`workspace/${"长".repeat(80)}/${"n".repeat(120)}.md`, "a long name");
  await archive.addLink("workspace/link", "/etc");
  await archive.finish();
  return path;
}

Deno.test.each(["copy.tar", "copy.tar.gz"])(
  "A backup named %s comes back as it was, for its owner only",
  async (name) => {
    await using folder = await temporaryFolder();
    const path = await writeBackup(folder.path, name);
    assert.equal(((await Deno.stat(path)).mode ?? 0) & 0o777, 0o600);
    const to = join(folder.path, "to");
    await Deno.mkdir(to);
    assert.deepEqual(await unpackBackup(path, to), ABOUT);
    assert.equal((await Deno.stat(join(to, "workspace/big"))).size, 1_000_000);
    assert.equal((await Deno.stat(join(to, "workspace/sessions/a.jsonl"))).size, 10);
    assert.equal(await Deno.readLink(join(to, "workspace/link")), "/etc");
    const long = join(to, "workspace", "长".repeat(80), `${"n".repeat(120)}.md`);
    assert.equal(await Deno.readTextFile(long), "a long name");
    await assert.rejects(ArchiveWriter.begin(path), /it is there already/);
  },
);

Deno.test("A backup that was cut, changed or made up is refused", async () => {
  await using folder = await temporaryFolder();
  const path = await writeBackup(folder.path, "copy.tar");
  const bytes = await Deno.readFile(path);
  const refused = async (change: Uint8Array<ArrayBuffer>) => {
    const wrong = join(folder.path, crypto.randomUUID());
    await Deno.writeFile(wrong, change);
    await Deno.mkdir(`${wrong}.to`);
    await assert.rejects(unpackBackup(wrong, `${wrong}.to`), { code: "backup" });
  };
  await refused(bytes.slice(0, bytes.length / 2));
  const changed = bytes.slice();
  changed[bytes.indexOf(7, bytes.length / 3)] = 8;
  await refused(changed);
  await refused(new TextEncoder().encode("no archive at all"));
  const packer = createTarPacker();
  const body = packer.controller.add({ name: "../escaped", size: 0 }).getWriter();
  await body.close();
  packer.controller.finalize();
  await refused(new Uint8Array(await new Response(packer.readable.pipeThrough(copied())).bytes()));
});

/** For a response, which wants buffers of its own. */
function copied(): TransformStream<Uint8Array, Uint8Array<ArrayBuffer>> {
  return new TransformStream({ transform: (chunk, to) => to.enqueue(new Uint8Array(chunk)) });
}

Deno.test.each([
  ...["../x", "/etc/passwd", "workspace/../../x", "workspace//x", "elsewhere/x", "state"],
  ...["state/a\\b", "workspace/./x"],
])("No backup holds %s", (name) => {
  assert.throws(() => checkEntryName(name), { code: "backup" });
});

Deno.test("A backup replaces nothing that has got its name meanwhile", async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "copy.tar");
  {
    await using archive = await ArchiveWriter.begin(path);
    await archive.addText(ABOUT_ENTRY, "{}");
    await Deno.writeTextFile(path, "somebody's");
    await assert.rejects(archive.finish(), /it is there already/);
  }
  assert.equal(await Deno.readTextFile(path), "somebody's");
  assert.equal((await Array.fromAsync(Deno.readDir(folder.path))).length, 1);
});

Deno.test("A backup that is given up leaves nothing behind", async () => {
  await using folder = await temporaryFolder();
  {
    await using archive = await ArchiveWriter.begin(join(folder.path, "copy.tar"));
    await archive.addText(ABOUT_ENTRY, "{}");
  }
  assert.deepEqual(await Array.fromAsync(Deno.readDir(folder.path)), []);
});

Deno.test("Secrets of a configuration give way to names of variables", () => {
  const manifests = channelEntries.map(({ manifest }) => manifest);
  const blank = withoutSecrets({
    providers: {
      openai: { apiKey: "sk-1", apiBase: "https://u:pw@h/v1" },
      groq: { apiKey: "${G}" },
    },
    channels: { telegram: { token: "1:a", allowFrom: ["2"], enabled: true } },
    tools: { mcpServers: { x: { env: { ANY: "value" }, args: ["--plain"] } } },
  }, manifests);
  assert.deepEqual(blank, {
    providers: {
      openai: {
        apiKey: "${TROUPE_SECRET_PROVIDERS_OPENAI_API_KEY}",
        apiBase: "${TROUPE_SECRET_PROVIDERS_OPENAI_API_BASE}",
      },
      groq: { apiKey: "${G}" },
    },
    channels: {
      telegram: {
        token: "${TROUPE_SECRET_CHANNELS_TELEGRAM_TOKEN}",
        allowFrom: ["2"],
        enabled: true,
      },
    },
    tools: {
      mcpServers: {
        x: { env: { ANY: "${TROUPE_SECRET_TOOLS_MCP_SERVERS_X_ENV_ANY}" }, args: ["--plain"] },
      },
    },
  });
  assert.equal(variablesIn(blank).length, 5);
});

Deno.test("Jobs that were due since the backup are passed over, single ones by name", () => {
  const job = (id: string, kind: string, nextRunAtMs: number, enabled = true) => ({
    ...{ id, name: `job ${id}`, enabled, schedule: { kind } },
    state: { nextRunAtMs, scheduleKey: "k" },
  });
  const jobs = [
    job("1", "at", 10),
    job("2", "cron", 10),
    job("3", "at", 99),
    job("4", "every", 99),
    job("5", "at", 10, false),
  ];
  const { text, paused } = passOverDueJobs(JSON.stringify({ version: 1, jobs }), 50);
  assert.deepEqual(paused, ["job 1"]);
  assert.deepEqual(JSON.parse(text), {
    version: 1,
    jobs: [
      { ...jobs[0], enabled: false },
      { ...jobs[1], state: { nextRunAtMs: null, scheduleKey: null } },
      ...jobs.slice(2),
    ],
  });
  assert.equal(passOverDueJobs("{half", 50).text, "{half");
});

Deno.test("What is under way in a restored journal waits for a person's decision", async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "journal.sqlite");
  const clock = new ManualClock();
  const copy = join(folder.path, "copy.sqlite");
  {
    await using journal = openSqliteJournal({ path, clock, defer: queueMicrotask });
    await journal.accept(anInbound({ platformId: "m1" }));
    await journal.accept(anInbound({ platformId: "job", channel: "system" }));
    await journal.commit({ outbounds: [anOutbound()] });
    const later: Promise<unknown>[] = [];
    await journal.copy(copy, () => later.push(journal.accept(anInbound({ platformId: "m2" }))));
    await Promise.all(later);
    assert.equal((await journal.counts()).inbounds.accepted, 3);
  }
  assert.deepEqual(settleRows(copy, "held", 1), { inbounds: 1, outbounds: 1 });
  await using journal = openSqliteJournal({ path: copy, clock, defer: queueMicrotask });
  const { inbounds, outbounds } = await journal.stuck(10);
  assert.deepEqual(inbounds.map(({ platformId, state }) => [platformId, state]), [[
    "m1",
    "parked",
  ]]);
  assert.deepEqual(outbounds.map(({ state, error }) => [state, error]), [["failed", "held"]]);
  const { inbounds: counts } = await journal.counts();
  assert.deepEqual([counts.accepted, counts.running], [0, 0]);
});
