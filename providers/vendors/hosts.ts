/**
 * Those who serve open models, or few models of their own.
 * @module
 */

import { type Vendor, vendor } from "../vendor.ts";

/** In order. */
export const HOSTS: readonly Vendor[] = [
  vendor("groq", "Groq", ["groq"], {
    defaultBaseUrl: "https://api.groq.com/openai/v1",
    keyPrefix: "gsk_",
    always: { reasoning: "drop", extraContent: "drop" },
  }),
  vendor("qianfan", "Qianfan", ["qianfan", "ernie"], {
    defaultBaseUrl: "https://qianfan.baidubce.com/v2",
  }),
  vendor("nvidia", "NVIDIA NIM", ["nvidia", "nemotron", "nvapi"], {
    defaultBaseUrl: "https://integrate.api.nvidia.com/v1",
    keyPrefix: "nvapi-",
  }),
  vendor("longcat", "LongCat", ["longcat"], {
    defaultBaseUrl: "https://api.longcat.chat/openai/v1",
  }),
  vendor("ant_ling", "Ant Ling", ["ant-ling", "ling", "ring"], {
    defaultBaseUrl: "https://api.ant-ling.com/v1",
  }),
];
