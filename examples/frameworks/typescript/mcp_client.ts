// The MCP SDK for TypeScript with OpenAI's client.
//
//     npm install && npm run build
//     CHANCERY_TOKEN=chy_… OPENAI_API_KEY=… npm start -- --model gpt-5-mini
//
// `--model-url` names another model that speaks Chat Completions.

import { parseArgs } from "node:util";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import OpenAI from "openai";

const MOST_TURNS = 20;

const { values: given } = parseArgs({
  options: {
    url: { type: "string", default: process.env.CHANCERY_URL ?? "http://127.0.0.1:8000" },
    token: { type: "string", default: process.env.CHANCERY_TOKEN ?? "" },
    profile: { type: "string", multiple: true, default: ["unified"] },
    "model-url": { type: "string" },
    model: { type: "string", default: "stand-in" },
    task: { type: "string", default: "Propose a reply to the newest mail." },
  },
});

/** Let the model call tools until it has said its last word; return that. */
async function run(chancery: Client, model: OpenAI): Promise<string> {
  const { tools } = await chancery.listTools();
  const functions = tools.map((tool) => ({
    type: "function" as const,
    function: { name: tool.name, description: tool.description, parameters: tool.inputSchema },
  }));
  const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: "user", content: given.task }];
  for (let turn = 0; turn < MOST_TURNS; turn++) {
    const response = await model.chat.completions.create({
      model: given.model,
      messages,
      tools: functions,
    });
    const { message } = response.choices[0]!;
    messages.push(message);
    if (!message.tool_calls) return message.content ?? "";
    for (const call of message.tool_calls) {
      if (call.type === "function") messages.push(await answer(chancery, call));
    }
  }
  return "It took too many turns.";
}

/** Return what a tool answers or why it refuses, as a message for the model. */
async function answer(
  chancery: Client,
  call: OpenAI.ChatCompletionMessageFunctionToolCall,
): Promise<OpenAI.ChatCompletionToolMessageParam> {
  // The model's id of the call as the key: a loop that broke off does nothing twice.
  const result = await chancery.callTool({
    name: call.function.name,
    arguments: JSON.parse(call.function.arguments),
    _meta: { "chancery/idempotency-key": call.id },
  });
  const texts = result.content.flatMap((part) => (part.type === "text" ? [part.text] : []));
  return { role: "tool", tool_call_id: call.id, content: texts.join("\n") };
}

const model = new OpenAI({
  baseURL: given["model-url"] && `${given["model-url"]}/v1`,
  apiKey: process.env.OPENAI_API_KEY ?? "none",
});
for (const profile of given.profile) {
  const chancery = new Client({ name: "example", version: "1.0" });
  const address = new URL(`${given.url}/mcp/${profile}`);
  const headers = { Authorization: `Bearer ${given.token}` };
  await chancery.connect(
    new StreamableHTTPClientTransport(address, { requestInit: { headers } }),
  );
  console.log(await run(chancery, model));
  await chancery.close();
}
