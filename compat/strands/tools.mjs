// Test 31: a stock TypeScript agent with Loci's tools over MCP, alone, with a prefix, and beside the memory
// store.

import assert from 'node:assert/strict';
import { McpClient, MemoryManager } from '@strands-agents/sdk';
import { AgentCoreMemoryStore } from 'bedrock-agentcore/memory/strands';
import * as world from './world.mjs';

const FACT = 'The lighthouse of Skerryvore flashes every ten seconds.';

/** Runs a story with a stock agent that has the tools of a memory. */
async function withTools(memory, story, { more = {}, options = {} } = {}) {
  const client = new McpClient({ url: `${world.URL_OF_LOCI}/mcp/p/recall`, headers: { 'X-Loci-Memory': memory }, ...options });
  try {
    const agent = world.agent('echo', { tools: [client], ...more });
    await agent.initialize();
    await story(agent);
  } finally {
    await client.disconnect();
  }
}

const names = (agent) => agent.tools.map(({ name }) => name).sort();

await world.run({
  '31 typescript: an agent lists both tools over MCP, adds with one and finds with the other': async () => {
    const memory = await world.newMemory(world.FACTS);
    await withTools(memory, async (agent) => {
      assert.deepEqual(names(agent), ['add_memory', 'search_memory']);
      await agent.invoke(world.calling('add_memory', { entries: [FACT, 'The buoy of Skye is green.'] }));
      // Until the server has read both, it ranks by words alone.
      await world.wait(memory);
      const question = { query: 'How often does Skerryvore flash?', maxSearchResults: 1 };
      const [answer] = world.texts((await agent.invoke(world.calling('search_memory', question))).lastMessage);
      const [added, found] = world.results(agent);
      assert.deepEqual([added.status, found.status], ['success', 'success'], JSON.stringify([added, found]));
      assert.ok(found.text.includes(FACT) && !found.text.includes('Skye'), found.text);
      assert.ok(answer.includes(FACT), answer);
      await agent.invoke(world.calling('search_memory', { query: 'Skye', max_search_results: 1 }));
      assert.ok(world.results(agent).at(-1).text.includes('green'));
    });
  },

  '31 typescript: what is refused comes to the model as a tool\'s error that names the member': async () => {
    await withTools(await world.newMemory(world.FACTS), async (agent) => {
      const refused = [
        ['search_memory', 'maxSearchResults', { query: 'x', maxSearchResults: 0 }],
        ['search_memory', 'maxSearchResults', { query: 'x', maxSearchResults: 2.5 }],
        ['search_memory', 'query', { query: '' }],
        ['add_memory', 'entries', { entries: [] }],
      ];
      for (const [tool, member, input] of refused) {
        await agent.invoke(world.calling(tool, input));
        const { status, text } = world.results(agent).at(-1);
        assert.ok(status === 'error' && text.includes(member), `${JSON.stringify(input)} ${status} ${text}`);
      }
    });
  },

  '31 typescript: with a prefix, beside a store that has a search_memory of its own; both find the same': async () => {
    const memoryId = await world.newMemory(world.FACTS);
    const wanted = { memoryId, actorId: 'ann', sessionId: 's1', namespace: '/facts/{actorId}/', writable: true, extraction: true };
    const memoryManager = new MemoryManager({ stores: [new AgentCoreMemoryStore(wanted)] });
    const story = async (agent) => {
      assert.deepEqual(names(agent), ['loci_add_memory', 'loci_search_memory', 'search_memory']);
      await agent.invoke(FACT);
      await memoryManager.flush();
      await world.wait(memoryId);
      const both = ['loci_search_memory', 'search_memory'].map((tool) => world.calling(tool, { query: 'Skerryvore' }));
      await agent.invoke(both.join('\n'));
      const found = world.results(agent);
      assert.ok(found.length === 2 && found.every(({ status, text }) => status === 'success' && text.includes(FACT)), JSON.stringify(found));
    };
    await withTools(memoryId, story, { more: { memoryManager }, options: { prefix: 'loci' } });
  },

  '31 typescript: beside a store without a search tool of its own, the tools need no prefix': async () => {
    const memoryId = await world.newMemory(world.FACTS);
    const store = new AgentCoreMemoryStore({ memoryId, actorId: 'ann', sessionId: 's1', namespacePath: '/' });
    const memoryManager = new MemoryManager({ stores: [store], searchToolConfig: false });
    const story = async (agent) => {
      assert.deepEqual(names(agent), ['add_memory', 'search_memory']);
      await agent.invoke(world.calling('add_memory', { entries: [FACT] }));
      const [answer] = world.texts((await agent.invoke('How often does Skerryvore flash?')).lastMessage);
      assert.ok(answer.includes('<memory>') && answer.includes(`>${FACT}</entry>`), answer);
    };
    await withTools(memoryId, story, { more: { memoryManager } });
  },
});
