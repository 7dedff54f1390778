// Test 26: a stock TypeScript agent with a `MemoryManager` over `AgentCoreMemoryStore`, by the endpoint
// variables alone.

import assert from 'node:assert/strict';
import { MemoryManager } from '@strands-agents/sdk';
import { AgentCoreMemoryStore, createAgentCoreMemoryStores } from 'bedrock-agentcore/memory/strands';
import * as world from './world.mjs';

const actorId = 'org/ann:1';
const FACT = 'I keep a sloop called Gull in the harbour of Largs.';
const QUESTION = 'Where does my sloop lie?';

function remembering(memoryId, sessionId, model = 'quiet', more = {}) {
  const wanted = { namespace: '/facts/{actorId}/', writable: true, extraction: true, ...more };
  const memoryManager = new MemoryManager({ stores: [new AgentCoreMemoryStore({ memoryId, actorId, sessionId, ...wanted })] });
  return { agent: world.agent(model, { memoryManager }), memoryManager };
}

/** A memory that knows the fact, from a session that is over. */
async function told() {
  const memoryId = await world.newMemory(world.FACTS);
  const { agent, memoryManager } = remembering(memoryId, 'before');
  await agent.invoke(FACT);
  await memoryManager.flush();
  await world.wait(memoryId);
  return memoryId;
}

const pairs = (questions) => questions.flatMap((question) => [['USER', question], ['ASSISTANT', 'Noted.']]);

await world.run({
  '26 typescript: one retrieve per user turn, one CreateEvent on flush, and what is injected is never written': async () => {
    const memoryId = await told();
    await world.forgetRecorded();
    const { agent, memoryManager } = remembering(memoryId, 's1');
    const questions = [QUESTION, 'And is Largs on the Clyde?', 'Thank you.'];
    for (const question of questions) await agent.invoke(question);
    const retrieves = await world.recorded('/retrieve');
    assert.deepEqual(retrieves.map(({ body }) => body.searchCriteria.searchQuery), questions);
    assert.ok(retrieves.every(({ body }) => body.namespace === `/facts/${actorId}/`));
    assert.deepEqual(await world.recorded('/events'), [], 'three turns are below the interval of five');
    await memoryManager.flush();
    await memoryManager.flush();
    const writes = await world.recorded('/events');
    assert.deepEqual(writes.map(({ method, status }) => [method, status]), [['POST', 201]]);
    assert.ok(writes[0].body.clientToken.endsWith('-0-5'), writes[0].body.clientToken);
    // The answer was remembered too; what the question asks for comes first.
    const entries = [FACT, 'Noted.'].map((text) => `<entry source="facts">${text}</entry>\n`).join('');
    const block = `\n\n<memory>\n${entries}</memory>`;
    const [asked] = await world.recorded('/converse-stream');
    assert.deepEqual(world.texts(asked.body.messages.at(-1)), [QUESTION, block]);
    const written = await world.events(memoryId, actorId, 's1');
    assert.deepEqual(written.map(({ payload }) => world.turns(payload)), [pairs(questions)]);
    assert.ok(!JSON.stringify(agent.messages).includes('<memory>'));
  },

  '26 typescript: five turns are sent without a flush, and a flush sends the rest': async () => {
    const memoryId = await world.newMemory(world.FACTS);
    const { agent, memoryManager } = remembering(memoryId, 's1');
    const questions = Array.from({ length: 7 }, (_, number) => `The ferry of day ${number} is late.`);
    for (const question of questions) await agent.invoke(question);
    await memoryManager.flush();
    const written = await world.events(memoryId, actorId, 's1');
    const said = written.map(({ payload }) => world.turns(payload));
    // The manager sends beside the conversation, which may be a message further by then.
    assert.ok(said.length === 2 && said[0].length >= 10, JSON.stringify(said));
    assert.deepEqual(said.flat(), pairs(questions));
  },

  '26 typescript: the model calls search_memory, and its traffic with tools is no part of the Event': async () => {
    const memoryId = await told();
    await world.forgetRecorded();
    const { agent, memoryManager } = remembering(memoryId, 's1', 'echo');
    const asked = world.calling('search_memory', { query: 'sloop', maxSearchResults: 2 });
    const [answer] = world.texts((await agent.invoke(asked)).lastMessage);
    assert.ok(answer.includes('Tool said') && answer.includes(FACT), answer);
    const retrieves = (await world.recorded('/retrieve')).map(({ body }) => body.searchCriteria);
    // Once for the turn, once for the tool; not once more for the tool's result.
    assert.deepEqual(retrieves, [{ searchQuery: asked, topK: 5 }, { searchQuery: 'sloop', topK: 2 }]);
    await memoryManager.flush();
    const [{ payload }] = await world.events(memoryId, actorId, 's1');
    assert.deepEqual(world.turns(payload).map(([, text]) => text), [asked, 'Let me see.', answer]);
  },

  '26 typescript: what is told in one session is known to a new agent, and to no other actor': async () => {
    const memoryId = await told();
    const { agent } = remembering(memoryId, 'later', 'echo');
    const [answer] = world.texts((await agent.invoke(QUESTION)).lastMessage);
    assert.ok(answer.includes(`<entry source="facts">${FACT}</entry>`), answer);
    const store = new AgentCoreMemoryStore({ memoryId, actorId: 'org/ann:10', sessionId: 's', namespace: '/facts/{actorId}/' });
    const stranger = world.agent('echo', { memoryManager: new MemoryManager({ stores: [store] }) });
    const [other] = world.texts((await stranger.invoke(QUESTION)).lastMessage);
    assert.ok(!other.includes('Gull'), other);
  },

  '26 typescript: stores of one session read facts and summaries, and another session sees no summary of it': async () => {
    const memoryId = await world.newMemory(world.FACTS, world.SUMMARIES);
    const namespaces = [{ namespace: '/facts/{actorId}/' }, { namespace: '/summaries/{actorId}/{sessionId}/' }];
    const both = (sessionId, model) => {
      const stores = createAgentCoreMemoryStores({ memoryId, actorId, sessionId, namespaces, extraction: true });
      const memoryManager = new MemoryManager({ stores });
      return { agent: world.agent(model, { memoryManager }), memoryManager };
    };
    const first = both('s1', 'quiet');
    await first.agent.invoke(FACT);
    await first.memoryManager.flush();
    await world.wait(memoryId);
    const answers = await Promise.all(['s1', 's2'].map(async (session) => {
      return world.texts((await both(session, 'echo').agent.invoke(QUESTION)).lastMessage)[0];
    }));
    const [facts, summaries] = ['<entry source="facts">', '<entry source="summaries">'];
    assert.ok(answers[0].includes(facts) && answers[0].includes(summaries), answers[0]);
    assert.ok(answers[1].includes(facts) && !answers[1].includes(summaries), answers[1]);
  },
});
