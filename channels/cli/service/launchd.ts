/**
 * The gateway as an agent of launchd.
 * @module
 */

import { join } from "node:path";
import {
  OWN_MARK,
  type ServiceManager,
  type ServicePlan,
  type ServiceState,
} from "./service_manager.ts";

/**
 * What launchd runs. It knows neither files of variables nor exit codes after which nothing is to
 * be started again; so a shell reads the file (`$0`), passes signals on to the program (the other
 * arguments), and ends well where a restart would end the same way (2).
 */
export const LAUNCHD_SCRIPT = `set -a; [ -f "$0" ] && . "$0"; set +a
asked= child=
trap 'asked=yes; [ -z "$child" ] || kill -TERM "$child"' TERM INT HUP
"$@" & child=$!
[ -z "$asked" ] || kill -TERM "$child"
wait "$child"; code=$?
while kill -0 "$child" 2>/dev/null; do wait "$child"; code=$?; done
[ "$code" -eq 2 ] && exit 0
exit "$code"`;

/** The manager for the agent `dev.<name>.gateway` of a person with this home and this id. */
export function launchd(
  name: string,
  home: string,
  userId: number,
): ServiceManager {
  const label = `dev.${name}.gateway`;
  const domain = `gui/${userId}`;
  const file = join(home, "Library", "LaunchAgents", `${label}.plist`);
  const logFile = join(home, "Library", "Logs", `${name}.log`);
  const bootout = { words: ["launchctl", "bootout", `${domain}/${label}`], mayFail: true };
  return {
    kind: "launchd",
    file,
    text: (plan) => launchdPlist(plan, { label, logFile }),
    start: [bootout, { words: ["launchctl", "bootstrap", domain, file] }],
    stop: [bootout],
    forget: [],
    ask: ["launchctl", "print", `${domain}/${label}`],
    read: readPrint,
    logs: ({ lines, isFollowing }) => [
      ...["tail", "-n", String(lines), ...(isFollowing ? ["-F"] : []), logFile],
    ],
    advice: "It starts when you log in, and ends when you log out",
  };
}

/** The agent's property list. */
export function launchdPlist(
  { command, folder, environmentFile, environment }: ServicePlan,
  { label, logFile }: { readonly label: string; readonly logFile: string },
): string {
  const words = ["/bin/sh", "-c", LAUNCHD_SCRIPT, environmentFile, ...command];
  // What tells the gateway that somebody starts it again when it asks for that.
  const variables = { ...environment, INVOCATION_ID: "launchd" };
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<!-- ${OWN_MARK}. -->
<plist version="1.0">
<dict>
  <key>Label</key>
  ${text(label)}
  <key>ProgramArguments</key>
  <array>
${words.map((word) => `    ${text(word)}\n`).join("")}  </array>
  <key>WorkingDirectory</key>
  ${text(folder)}
  <key>EnvironmentVariables</key>
  <dict>
${Object.entries(variables).map(pair).join("")}  </dict>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <key>ThrottleInterval</key>
  <integer>10</integer>
  <key>ExitTimeOut</key>
  <integer>45</integer>
  <key>ProcessType</key>
  <string>Background</string>
  <key>Umask</key>
  <integer>63</integer>
  <key>HardResourceLimits</key>
  <dict>
    <key>Core</key>
    <integer>0</integer>
  </dict>
  <key>StandardOutPath</key>
  ${text(logFile)}
  <key>StandardErrorPath</key>
  ${text(logFile)}
</dict>
</plist>
`;
}

function pair([name, value]: readonly [string, string]): string {
  return `    <key>${escaped(name)}</key>\n    ${text(value)}\n`;
}

function text(value: string): string {
  return `<string>${escaped(value)}</string>`;
}

function escaped(value: string): string {
  return value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function readPrint(answer: string): ServiceState {
  const fact = (name: string) => new RegExp(`^\\s*${name} = (.+)$`, "m").exec(answer)?.[1];
  const state = fact("state") ?? "unknown";
  const pid = Number(fact("pid"));
  const code = Number.parseInt(fact("last exit code") ?? "", 10);
  return {
    isRunning: state === "running",
    pid: Number.isSafeInteger(pid) ? pid : null,
    lastExitCode: Number.isSafeInteger(code) ? code : null,
    state,
  };
}
