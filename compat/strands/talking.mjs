// The other actor of `restarts.py`: as `talking.py`, with stock TypeScript agents.

import { readFile } from 'node:fs/promises';
import { once } from 'node:events';
import { MemoryManager } from '@strands-agents/sdk';
import { AgentCoreMemoryStore } from 'bedrock-agentcore/memory/strands';
import * as world from './world.mjs';

const [memoryId, actorId, file] = process.argv.slice(2);
const told = JSON.parse(await readFile(file, 'utf8'));

const agents = Object.keys(told).map((sessionId) => {
  const wanted = { memoryId, actorId, sessionId, namespace: '/facts/{actorId}/', writable: true, extraction: true };
  const memoryManager = new MemoryManager({ stores: [new AgentCoreMemoryStore(wanted)] });
  return { agent: world.agent('quiet', { memoryManager }), memoryManager, facts: told[sessionId] };
});
for (let turn = 0; turn < agents[0].facts.length; turn += 1) {
  for (const { agent, facts } of agents) await agent.invoke(facts[turn]);
  console.log('turn');
}
await once(process.stdin, 'data');
for (const { memoryManager } of agents) await memoryManager.flush();
process.exit(0);
