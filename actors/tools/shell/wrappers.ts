/**
 * Programs that run other programs: what `sudo`, `xargs`, `find -exec` or `sh -c` would start.
 * @module
 */

import type { Field } from "./words.ts";

/** What stands inside: a program with its words, or shell text to be read. */
export type Wrapped =
  | { readonly type: "program"; readonly argv: readonly Field[] }
  | { readonly type: "script"; readonly text: string };

/** How a wrapper's own words end and the inner program's begin. */
interface WrapperShape {
  /** Options that take the next word as their value. */
  readonly valued: readonly string[];
  /** Words of its own before the program: `timeout 5 rm`. @default 0 */
  readonly operands?: number;
}

const WRAPPERS: Readonly<Record<string, WrapperShape>> = {
  builtin: { valued: [] },
  busybox: { valued: [] },
  chroot: { valued: [], operands: 1 },
  chrt: { valued: ["-p"], operands: 1 },
  command: { valued: [] },
  doas: { valued: ["-u", "-C"] },
  env: { valued: ["-u", "--unset", "-C", "--chdir", "-S", "--split-string"] },
  exec: { valued: ["-a"] },
  flock: { valued: ["-w", "-E"], operands: 1 },
  ionice: { valued: ["-c", "-n", "-p"] },
  nice: { valued: ["-n"] },
  nohup: { valued: [] },
  parallel: { valued: ["-j", "-I", "-a"] },
  prlimit: { valued: [] },
  setsid: { valued: [] },
  stdbuf: { valued: ["-i", "-o", "-e"] },
  strace: { valued: ["-e", "-o", "-p", "-s"] },
  sudo: { valued: ["-u", "-g", "-h", "-p", "-C", "-r", "-t", "-T", "-U", "-D"] },
  taskset: { valued: [], operands: 1 },
  time: { valued: ["-f", "-o"] },
  timeout: { valued: ["-s", "-k"], operands: 1 },
  toybox: { valued: [] },
  unbuffer: { valued: [] },
  unshare: { valued: [] },
  watch: { valued: ["-n", "-d"] },
  xargs: { valued: ["-I", "-n", "-P", "-L", "-d", "-a", "-E", "-s", "-i", "-l"] },
};

/** What `argv` would start besides itself. */
export function unwrap(argv: readonly Field[]): readonly Wrapped[] {
  const [first, ...words] = argv;
  if (first === undefined) return [];
  const name = programName(first);
  if (/^(ba|da|z|k|a)?sh$/.test(name)) return shellText(words, /^-\w*c$/);
  if (name === "su" || name === "script" || name === "runuser") {
    return shellText(words, /^(-c|--command)$/);
  }
  if (name === "eval") return [{ type: "script", text: joined(words) }];
  if (name === "trap" || name === "alias") return inText(name, words);
  if (name === "find" || name === "fd" || name === "fdfind") return ofFind(words);
  const shape = Object.hasOwn(WRAPPERS, name) ? WRAPPERS[name] : undefined;
  return shape === undefined ? [] : behind(name, words, shape);
}

/** The name under which a program is known: `/bin/RM` is `rm`. */
export function programName({ text }: Field): string {
  return (text.split(/[\\/]/).at(-1) ?? text).toLowerCase().replace(/\.(exe|com|cmd|bat)$/, "");
}

function shellText(words: readonly Field[], option: RegExp): readonly Wrapped[] {
  const at = words.findIndex(({ text }) => option.test(text));
  const script = at < 0 ? undefined : words[at + 1];
  return script === undefined ? [] : [{ type: "script", text: script.text }];
}

function inText(name: string, words: readonly Field[]): readonly Wrapped[] {
  const [first] = words;
  if (first === undefined) return [];
  if (name === "trap") return [{ type: "script", text: first.text }];
  return words.map(({ text }): Wrapped => ({
    type: "script",
    text: text.slice(text.indexOf("=") + 1),
  }));
}

function ofFind(words: readonly Field[]): readonly Wrapped[] {
  const found: Wrapped[] = [];
  words.forEach(({ text }, at) => {
    if (!/^(-exec|-execdir|-ok|-okdir|-x|-X|--exec|--exec-batch)$/.test(text)) return;
    const rest = words.slice(at + 1);
    const end = rest.findIndex(({ text: word }) => word === ";" || word === "+");
    const argv = end < 0 ? rest : rest.slice(0, end);
    if (argv.length > 0) found.push({ type: "program", argv });
  });
  return found;
}

function behind(
  name: string,
  words: readonly Field[],
  { valued, operands = 0 }: WrapperShape,
): readonly Wrapped[] {
  let at = 0;
  for (; at < words.length; at++) {
    const { text } = words[at] ?? { text: "" };
    if (name === "env" && (text === "-S" || text === "--split-string")) {
      return [{ type: "script", text: joined(words.slice(at + 1)) }];
    }
    if (name === "env" && /^[A-Za-z_]\w*=/.test(text)) continue;
    if (text === "--") {
      at++;
      break;
    }
    if (!text.startsWith("-")) break;
    if (valued.includes(text)) at++;
  }
  const argv = words.slice(at + operands);
  if (argv.length === 0) return [];
  // `watch` and `parallel` hand one word to a shell.
  if (argv.length === 1 && /\s/.test(argv[0]?.text ?? "")) {
    return [{ type: "script", text: joined(argv) }];
  }
  return [{ type: "program", argv }];
}

function joined(words: readonly Field[]): string {
  return words.map(({ text }) => text).join(" ");
}
