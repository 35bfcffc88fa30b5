/**
 * The texts of the workspace's template: a part of the program, compiled or not.
 * @module
 */

import agents from "../../../workspace-template/AGENTS.md" with { type: "text" };
import heartbeat from "../../../workspace-template/HEARTBEAT.md" with { type: "text" };
import soul from "../../../workspace-template/SOUL.md" with { type: "text" };
import tools from "../../../workspace-template/TOOLS.md" with { type: "text" };
import user from "../../../workspace-template/USER.md" with { type: "text" };
import memory from "../../../workspace-template/memory/MEMORY.md" with { type: "text" };

/** Each by its path in the workspace. */
export const TEMPLATE_TEXTS: Readonly<
  Record<
    "AGENTS.md" | "SOUL.md" | "USER.md" | "TOOLS.md" | "HEARTBEAT.md" | "memory/MEMORY.md",
    string
  >
> = {
  "AGENTS.md": agents,
  "SOUL.md": soul,
  "USER.md": user,
  "TOOLS.md": tools,
  "HEARTBEAT.md": heartbeat,
  "memory/MEMORY.md": memory,
};
