/**
 * Servers on the user's own machine or network.
 * @module
 */

import { type Vendor, vendor } from "../vendor.ts";

/** In order. */
export const LOCAL_SERVERS: readonly Vendor[] = [
  vendor("vllm", "vLLM/Local", ["vllm"], { kinds: ["local"] }),
  vendor("ollama", "Ollama", ["ollama", "nemotron"], {
    kinds: ["local"],
    defaultBaseUrl: "http://localhost:11434/v1",
    baseUrlHint: "11434",
  }),
  vendor("lm_studio", "LM Studio", ["lm-studio", "lmstudio", "lm_studio"], {
    kinds: ["local"],
    defaultBaseUrl: "http://localhost:1234/v1",
    baseUrlHint: "1234",
  }),
  vendor("atomic_chat", "Atomic Chat", ["atomic-chat"], {
    kinds: ["local"],
    defaultBaseUrl: "http://localhost:1337/v1",
    baseUrlHint: "1337",
  }),
  vendor("ovms", "OpenVINO Model Server", ["openvino", "ovms"], {
    kinds: ["direct", "local"],
    defaultBaseUrl: "http://localhost:8000/v3",
  }),
];
