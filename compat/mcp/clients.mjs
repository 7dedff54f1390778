// The official TypeScript SDKs as clients: 1.x, which knows the initialize-based revisions, and its
// successor, pinned to 2026-07-28. Every schema is compiled under JSON Schema 2020-12, every result checked
// against it.
import Ajv2020 from "ajv/dist/2020.js";
import * as modern from "@modelcontextprotocol/client";
import { StdioClientTransport as ModernStdio } from "@modelcontextprotocol/client/stdio";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { coding } from "./coding.mjs";
import { facts } from "./facts.mjs";

const info = { name: "loci-acceptance", version: "1.0.0" };

function must(condition, what) {
  if (!condition) throw new Error(what);
}

async function life(client, way) {
  const { tools } = await client.listTools();
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  const outputs = new Map();
  for (const tool of tools) {
    must(/^[a-z][a-z0-9_]{0,23}$/.test(tool.name), `the name ${tool.name}`);
    ajv.compile(tool.inputSchema);
    outputs.set(tool.name, ajv.compile(tool.outputSchema));
  }
  const call = async (name, args) => {
    const result = await client.callTool({ name, arguments: args });
    if (!result.isError) {
      const fits = outputs.get(name);
      must(fits(result.structuredContent), `${name}: ${JSON.stringify(fits.errors)}`);
    }
    return result;
  };
  await call("add_memory", { entries: ["Anna likes tea"] });
  const found = await call("search_memory", { query: "what does Anna like", maxSearchResults: 3 });
  must(found.structuredContent.results[0].content === "Anna likes tea", JSON.stringify(found));
  must(JSON.parse(found.content[0].text).results.length === found.structuredContent.results.length, "the text says the same");
  const refused = await client.callTool({ name: "search_memory", arguments: { query: "x", maxSearchResults: -1 } });
  must(refused.isError && refused.content[0].text.startsWith("INVALID_ARGUMENT: "), JSON.stringify(refused));
  const { prompts } = await client.listPrompts();
  must(prompts.some((prompt) => prompt.name === "memory_rules"), "the prompt memory_rules");
  const rules = await client.getPrompt({ name: "memory_rules" });
  must(rules.messages[0].content.text.length > 100, "the rules");
  const { resources } = await client.listResources();
  const read = await client.readResource({ uri: resources[0].uri });
  must(read.contents[0].text.length > 100, "a resource");
  await client.listResourceTemplates();
  let gone;
  await client.readResource({ uri: "memory://nothing" }).catch((error) => (gone = error));
  must(gone, "a resource that is not there");
  const either = (name, args) => (name.includes(".") ? client.callTool({ name, arguments: args }) : call(name, args));
  await coding({ way, call: either });
  await facts({
    way,
    call: either,
    read: async (uri) => (await client.readResource({ uri })).contents[0].text,
    prompt: async (name, args) => (await client.getPrompt({ name, arguments: args })).messages[0].content.text,
  });
  await client.close();
  return tools.length;
}

export async function clients({ endpoint, stdio, cwd, outcome }) {
  const [command, ...args] = stdio;
  const newest = { versionNegotiation: { mode: { pin: "2026-07-28" } } };
  const ways = [
    ["sdk 1.x, stdio", () => [new Client(info), new StdioClientTransport({ command, args, cwd, stderr: "ignore" })]],
    ["sdk 1.x, http", () => [new Client(info), new StreamableHTTPClientTransport(new URL(endpoint))]],
    ["client 2.x at 2026-07-28, stdio", () => [new modern.Client(info, newest), new ModernStdio({ command, args, cwd })]],
    [
      "client 2.x at 2026-07-28, http",
      () => [new modern.Client(info, newest), new modern.StreamableHTTPClientTransport(new URL(endpoint))],
    ],
    [
      "client 2.x, as it negotiates, http",
      () => [
        new modern.Client(info, { versionNegotiation: { mode: "auto" } }),
        new modern.StreamableHTTPClientTransport(new URL(endpoint)),
      ],
    ],
  ];
  for (const [name, make] of ways) {
    try {
      const [client, transport] = make();
      await client.connect(transport);
      const tools = await life(client, name.replaceAll(/[^a-z ]/g, "").replaceAll("x", "").trim());
      outcome(`${name}: ${tools} tools`, tools > 0);
    } catch (error) {
      outcome(name, false, error.stack ?? String(error));
    }
  }
}
