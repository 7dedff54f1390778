// The npm package's memory store for Strands: what an agent's turns become, read exactly and by subtree.

import { AgentCoreMemoryStore, createAgentCoreMemoryStores } from 'bedrock-agentcore/memory/strands';
import { MemoryManager, Message, TextBlock } from '@strands-agents/sdk';
import { CreateMemoryCommand } from '@aws-sdk/client-bedrock-agentcore-control';
import { ListEventsCommand } from '@aws-sdk/client-bedrock-agentcore';
import { assert, controlPlane, dataPlane, send, uniqueName, waitExtraction } from './planes.mjs';

const message = (role, text) => new Message({ role, content: [new TextBlock(text)] });

async function newMemory() {
  const memoryStrategies = [
    { semanticMemoryStrategy: { name: 'facts', namespaceTemplates: ['/facts/{actorId}/'] } },
    { summaryMemoryStrategy: { name: 'sums', namespaceTemplates: ['/sums/{actorId}/{sessionId}/'] } },
  ];
  const input = { name: uniqueName('store'), eventExpiryDuration: 30, memoryStrategies };
  return (await send(controlPlane, new CreateMemoryCommand(input), 202)).memory.id;
}

async function events(memoryId, sessionId) {
  return (await send(dataPlane, new ListEventsCommand({ memoryId, actorId: 'ann', sessionId }))).events;
}

const TURNS = [
  message('user', 'I am a pilot based in Denver and fly Cessnas.'),
  message('assistant', 'Flying Cessnas out of Denver.'),
];

export const suite = {
  async 'a store writes once, extracts and recalls with dates and namespaces'() {
    const memoryId = await newMemory();
    // Without a client it builds its own from the environment.
    const store = new AgentCoreMemoryStore({
      memoryId, actorId: 'ann', sessionId: 's1', namespace: '/facts/{actorId}/', writable: true, extraction: true, minScore: 0.2,
    });
    await store.addMessages(TURNS, { sequenceNumbers: [0, 1] });
    await store.addMessages(TURNS, { sequenceNumbers: [0, 1] });
    const written = await events(memoryId, 's1');
    assert.equal(written.length, 1, 'the second firing is the first event');
    assert.equal(written[0].payload.length, 2);
    await waitExtraction(memoryId);
    const found = await store.search('Which aircraft does the user fly?');
    assert.ok(found.length > 0 && found[0].content.includes('Cessna'), JSON.stringify(found));
    const { _id, _score, _namespaces, _createdAt } = found[0].metadata;
    assert.ok(_id.startsWith('mem-') && _score >= 0.2 && _score <= 1);
    assert.deepEqual(_namespaces, ['/facts/ann/'], 'exactly the substituted template');
    assert.ok(Math.abs(Date.now() - Date.parse(_createdAt)) < 120_000);
  },

  async 'skipped turns are not recalled'() {
    const memoryId = await newMemory();
    const store = new AgentCoreMemoryStore({
      memoryId, actorId: 'ann', sessionId: 's1', namespace: '/facts/{actorId}/', writable: true, extraction: true,
      extractionMode: 'SKIP', client: dataPlane,
    });
    await store.addMessages(TURNS);
    await waitExtraction(memoryId);
    assert.equal((await events(memoryId, 's1')).length, 1);
    assert.deepEqual(await store.search('pilot'), []);
  },

  async 'two stores of one session read their own namespaces, and a subtree reads both sessions'() {
    const memoryId = await newMemory();
    for (const sessionId of ['s1', 's2']) {
      const stores = createAgentCoreMemoryStores({
        memoryId, actorId: 'ann', sessionId, client: dataPlane, extraction: true,
        namespaces: [{ namespace: '/facts/{actorId}/' }, { namespace: '/sums/{actorId}/{sessionId}/' }],
      });
      await stores[0].addMessages([message('user', `In ${sessionId} I planted ${sessionId === 's1' ? 'tulips' : 'maples'}.`)]);
    }
    await waitExtraction(memoryId);
    const of = (members) => new AgentCoreMemoryStore({ memoryId, actorId: 'ann', sessionId: 's1', client: dataPlane, ...members });
    const own = await of({ namespace: '/sums/{actorId}/{sessionId}/' }).search('what was planted');
    assert.ok(own.length > 0 && own.every((entry) => entry.metadata._namespaces[0] === '/sums/ann/s1/'));
    const both = await of({ namespacePath: '/sums/{actorId}' }).search('what was planted');
    assert.deepEqual([...new Set(both.map((entry) => entry.metadata._namespaces[0]))].sort(), ['/sums/ann/s1/', '/sums/ann/s2/']);
    const manager = new MemoryManager({ stores: [of({ namespace: '/facts/{actorId}/' })] });
    const recalled = await manager.search('which trees were planted');
    assert.ok(JSON.stringify(recalled).includes('maples'), JSON.stringify(recalled));
  },

  async 'a refused search is an error, not an empty result'() {
    const store = new AgentCoreMemoryStore({
      memoryId: 'unknown-0000000000', actorId: 'ann', sessionId: 's1', namespace: '/facts/{actorId}/', client: dataPlane,
    });
    await assert.rejects(store.search('x'), { name: 'ResourceNotFoundException' });
  },
};
