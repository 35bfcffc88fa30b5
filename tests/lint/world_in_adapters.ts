/// <reference lib="deno.unstable" />
/**
 * The rule that keeps the world behind adapters: time, chance, files, network and processes come
 * in from outside, so that a simulated world can run everything else.
 * @module
 */

import { fileURLToPath } from "node:url";

/** Globals that are the world, or a door to it. */
const WORLD_OBJECTS = new Set(["Deno", "console", "performance", "globalThis", "self"]);
const WORLD_FUNCTIONS = new Set(["fetch", "setTimeout", "setInterval", "setImmediate"]);
const WORLD_CLASSES = new Set(["Worker", "WebSocket", "BroadcastChannel"]);
const WORLD_MEMBERS = new Set([
  "Date.now",
  "Math.random",
  "crypto.randomUUID",
  "crypto.getRandomValues",
]);
/** Modules of Node that only compute. */
const PURE_MODULES = new Set([
  "node:assert/strict",
  "node:async_hooks",
  "node:buffer",
  "node:crypto",
  "node:net",
  "node:path",
  "node:util",
]);
/** What some of them hold beyond computing. */
const WORLD_IMPORTS = new Set([
  "connect",
  "createConnection",
  "createServer",
  "randomBytes",
  "randomInt",
  "randomUUID",
  "Server",
  "Socket",
]);
/** Where the world may be reached: adapters, what talks to a platform or a vendor, the entry. */
const OPEN_PLACES =
  /(^|\/)(adapters|tests|bench|\.ci|channels|docs|providers)\/|(^|\/)mod\.ts$|(^|\/)[a-z_]*worker_entry\.ts$/;

/** Reports each place outside an adapter where the world is reached. */
export const worldInAdapters: Deno.lint.Rule = {
  create(context) {
    if (OPEN_PLACES.test(insideProject(context.filename))) return {};
    const report = (node: Deno.lint.Node, what: string) =>
      context.report({
        node,
        message: `${what} reaches the world outside an adapter`,
        hint: "Take it in as a Clock, Random, NewId or a port, or move the line to adapters/",
      });
    return {
      MemberExpression(node) {
        if (node.object.type !== "Identifier") return;
        const { name } = node.object;
        const member = node.property.type === "Identifier" ? `${name}.${node.property.name}` : name;
        if (WORLD_OBJECTS.has(name) || WORLD_MEMBERS.has(member)) report(node, member);
      },
      CallExpression({ callee }) {
        if (callee.type !== "Identifier") return;
        if (WORLD_FUNCTIONS.has(callee.name)) report(callee, callee.name);
      },
      NewExpression(node) {
        if (node.callee.type !== "Identifier") return;
        const { name } = node.callee;
        const isNow = name === "Date" && node.arguments.length === 0;
        if (isNow || WORLD_CLASSES.has(name)) report(node, `new ${name}`);
      },
      ImportDeclaration(node) {
        const module = node.source.value;
        if (node.importKind === "type" || !module.startsWith("node:")) return;
        if (!PURE_MODULES.has(module)) return report(node, `"${module}"`);
        for (const { local } of node.specifiers) {
          if (WORLD_IMPORTS.has(local.name)) report(node, `${local.name} of "${module}"`);
        }
      },
    };
  },
};

/** Folders above the project must not open a place in it. */
function insideProject(filename: string): string {
  const root = fileURLToPath(new URL("../../", import.meta.url));
  return filename.startsWith(root) ? filename.slice(root.length) : filename;
}
