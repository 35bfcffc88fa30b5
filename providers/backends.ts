/**
 * Which code answers for a vendor. Each backend is loaded with its SDK when it is first used.
 * @module
 */

import type { BackendOptions } from "./backend.ts";
import type { ChosenProvider } from "./choice.ts";
import type { Provider } from "./provider.ts";

/** What loading a backend needs. */
export interface LoadOptions extends BackendOptions {
  /** Holds the tokens of sign-ins. */
  readonly stateFolder: string;
}

/** Loads and makes the backend for `choice`. */
export async function loadBackend(
  choice: ChosenProvider,
  { stateFolder, ...options }: LoadOptions,
): Promise<Provider> {
  switch (choice.vendor.backend) {
    case "openai_compatible": {
      const { OpenAiCompatibleProvider } = await import("./openai_compatible.ts");
      return new OpenAiCompatibleProvider(choice, options);
    }
    case "openai": {
      const { OpenAiProvider } = await import("./openai.ts");
      return new OpenAiProvider(choice, options);
    }
    case "azure_openai": {
      const { AzureOpenAiProvider } = await import("./azure_openai.ts");
      return new AzureOpenAiProvider(choice, options);
    }
    case "openai_codex": {
      const { CodexProvider, codexTokens } = await import("./openai_codex.ts");
      return new CodexProvider(choice, { ...options, tokens: codexTokens(stateFolder, options) });
    }
    case "github_copilot": {
      const { CopilotProvider, copilotTokens } = await import("./github_copilot.ts");
      return new CopilotProvider(choice, {
        ...options,
        tokens: copilotTokens(stateFolder, options),
      });
    }
    case "anthropic": {
      const { AnthropicProvider } = await import("./anthropic.ts");
      return new AnthropicProvider(choice, options);
    }
  }
}
