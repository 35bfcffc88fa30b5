import type { Provider } from "../../providers/provider.ts";
import { testProviderContract } from "../contract/provider_contract.ts";
import type { ConnectedBackend } from "../contract/provider_contract.ts";
import { SignInServer } from "../simulators/model_sign_in.ts";
import { connect, connectCodex, connectCopilot } from "../support/providers.ts";
import { temporaryFolder } from "../support/temporary_folder.ts";

const SECRET = "my-proxy-secret";
const section = { extraHeaders: { "X-Auth": SECRET } };

/** A backend whose key stands in the config. */
function keyed(provider: Provider): Promise<ConnectedBackend> {
  return Promise.resolve({
    provider,
    secrets: ["the-key", SECRET],
    [Symbol.asyncDispose]: () => Promise.resolve(),
  });
}

testProviderContract("OpenAiCompatibleProvider", ({ baseUrl }, clock) => {
  return keyed(connect({ baseUrl, clock, section }));
});

testProviderContract("OpenAiProvider by Responses", ({ baseUrl }, clock) => {
  const apiType = "responses";
  return keyed(connect({ baseUrl, clock, vendor: "openai", section: { ...section, apiType } }));
});

testProviderContract("OpenAiProvider by chat completions", ({ baseUrl }, clock) => {
  return keyed(connect({ baseUrl, clock, vendor: "openai", section }));
});

testProviderContract("AzureOpenAiProvider", ({ baseUrl }, clock) => {
  return keyed(connect({ baseUrl, clock, vendor: "azure_openai", section }));
});

testProviderContract("AnthropicProvider", ({ baseUrl }, clock) => {
  return keyed(connect({ baseUrl, clock, vendor: "anthropic", section }));
});

testProviderContract("CodexProvider", async ({ baseUrl }, clock) => {
  await using opening = new AsyncDisposableStack();
  const { path: stateFolder } = opening.use(await temporaryFolder());
  const signIn = opening.use(new SignInServer({ now: () => clock.now() }));
  const options = { baseUrl, clock, section, stateFolder, signInUrl: signIn.url };
  const tokens = signIn.makeTokens();
  const provider = await connectCodex(options, tokens);
  const secrets = [tokens.access_token, tokens.refresh_token, SECRET];
  const stack = opening.move();
  return { provider, secrets, [Symbol.asyncDispose]: () => stack.disposeAsync() };
});

testProviderContract("CopilotProvider", async ({ baseUrl }, clock) => {
  await using opening = new AsyncDisposableStack();
  const { path: stateFolder } = opening.use(await temporaryFolder());
  const signIn = opening.use(new SignInServer({ now: () => clock.now() }));
  const options = { baseUrl, clock, section, stateFolder, signInUrl: signIn.url };
  const provider = await connectCopilot(options);
  const secrets = ["github-secret", "copilot-secret-1", SECRET];
  const stack = opening.move();
  return { provider, secrets, [Symbol.asyncDispose]: () => stack.disposeAsync() };
});
