/**
 * The assistant inside another program: a tool of its own, and an answer that is shown while it
 * comes. `deno run -A docs/examples/library.ts "How warm is it in Oslo?"`
 * @module
 */

import { z } from "zod";
import { createGateway, defineTool } from "../../mod.ts";

const thermometer = defineTool({
  name: "thermometer",
  description: "Tells how warm it is in a city, in degrees Celsius.",
  parameters: z.object({ city: z.string().describe("Its name") }),
  needs: {},
  concurrency: "shared",
  timeoutMs: 5_000,
  run: ({ city }) => Promise.resolve({ content: `It is 21 °C in ${city}.`, isError: false }),
});

/** Asks one question and says what comes of it, piece by piece. */
export async function main(
  question: string,
  say: (text: string) => void,
  options: Parameters<typeof createGateway>[0] = {},
): Promise<void> {
  await using gateway = await createGateway({ ...options, tools: [thermometer] });
  for await (const event of gateway.send(question, { session: "weather" })) {
    switch (event.type) {
      case "text_delta":
        say(event.text);
        break;
      case "tool_called":
        say(`\n[${event.tool} ${JSON.stringify(event.args)}]`);
        break;
      case "tool_ended":
        say(` -> ${event.text}\n`);
        break;
      case "finished":
        say(`\n(${event.usage.totalTokens} tokens)\n`);
        break;
      case "failed":
        say(`\n${event.text}\n`);
        break;
    }
  }
}

if (import.meta.main) {
  const encoder = new TextEncoder();
  await main(Deno.args.join(" "), (text) => void Deno.stdout.writeSync(encoder.encode(text)));
}
