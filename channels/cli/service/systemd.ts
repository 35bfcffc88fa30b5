/**
 * The gateway as a user unit of systemd.
 * @module
 */

import { join } from "node:path";
import {
  OWN_MARK,
  type ServiceManager,
  type ServicePlan,
  type ServiceState,
} from "./service_manager.ts";

/** The manager for the unit `<name>.service` of a person with this home. */
export function systemd(name: string, home: string): ServiceManager {
  const unit = `${name}.service`;
  const systemctl = (...words: readonly string[]) => ["systemctl", "--user", ...words];
  return {
    kind: "systemd",
    file: join(home, ".config", "systemd", "user", unit),
    text: systemdUnit,
    start: [
      { words: systemctl("daemon-reload") },
      { words: systemctl("enable", unit) },
      { words: systemctl("restart", unit) },
    ],
    stop: [{ words: systemctl("disable", "--now", unit), mayFail: true }],
    forget: [
      { words: systemctl("daemon-reload") },
      { words: systemctl("reset-failed", unit), mayFail: true },
    ],
    ask: systemctl("show", unit, "--property=ActiveState,MainPID,ExecMainStatus,ExecMainCode"),
    read: readShow,
    logs: ({ lines, isFollowing }) => [
      ...["journalctl", "--user", "--user-unit", unit, "--lines", String(lines), "--output", "cat"],
      ...(isFollowing ? ["--follow"] : ["--no-pager"]),
    ],
    advice: "It ends when you log out, unless you say once: loginctl enable-linger",
  };
}

/**
 * The unit. Exit code 75 asks for a restart, 2 says that a restart would end the same way, 0 that
 * somebody stopped it. What keeps bubblewrap or V8 from working (namespaces, writable and executable
 * memory) is left out of the hardening: the shell's own sandbox is worth more.
 */
export function systemdUnit(
  { command, folder, environmentFile, environment }: ServicePlan,
): string {
  const variables = Object.entries(environment)
    .map(([name, value]) => `Environment=${word(`${name}=${value}`)}\n`).join("");
  return `# ${OWN_MARK}; your own changes belong into a drop-in (systemctl --user edit).
[Unit]
Description=Troupe, a personal assistant
StartLimitIntervalSec=600
StartLimitBurst=20

[Service]
Type=exec
ExecStart=${commandLine(command)}
WorkingDirectory=${folder.replaceAll("%", "%%")}
EnvironmentFile=-${pattern(environmentFile)}
${variables}Restart=on-failure
RestartSec=3
RestartForceExitStatus=75
RestartPreventExitStatus=2
SuccessExitStatus=75
KillMode=mixed
TimeoutStopSec=45
OOMPolicy=continue
TasksMax=2048
UMask=0077
LimitCORE=0
NoNewPrivileges=yes
RestrictSUIDSGID=yes
RestrictRealtime=yes
LockPersonality=yes
SystemCallArchitectures=native
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK

[Install]
WantedBy=default.target
`;
}

/** Of all words but the program itself, systemd takes `$` for a variable. */
function commandLine([program = "", ...words]: readonly string[]): string {
  return [word(program), ...words.map((text) => word(text).replaceAll("$", "$$$$"))].join(" ");
}

/** A path where systemd takes a pattern of names. */
function pattern(path: string): string {
  return path.replaceAll("%", "%%").replace(/[\\*?[\]]/g, "\\$&");
}

/** As systemd takes it: quoted where it must be, with `%` standing for itself. */
function word(text: string): string {
  const literal = text.replaceAll("%", "%%");
  if (/^[\w@%+=:,./-]+$/.test(literal)) return literal;
  return `"${literal.replace(/[\\"]/g, "\\$&").replaceAll("\n", "\\n")}"`;
}

function readShow(answer: string): ServiceState {
  const facts = new Map(
    answer.split("\n").map((line) => {
      const at = line.indexOf("=");
      return [line.slice(0, at), line.slice(at + 1).trim()] as const;
    }),
  );
  const number = (name: string) => Number(facts.get(name) ?? 0);
  const state = facts.get("ActiveState") ?? "unknown";
  const hasEnded = number("ExecMainCode") !== 0;
  return {
    isRunning: state === "active",
    pid: number("MainPID") || null,
    lastExitCode: hasEnded ? number("ExecMainStatus") : null,
    state,
  };
}
