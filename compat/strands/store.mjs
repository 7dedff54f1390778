// Test 29: the npm memory store itself, from the creation of its memory to its end. What a store must find is
// compared with what it found: an empty answer fails here.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { BedrockAgentCoreClient, CreateEventCommand } from '@aws-sdk/client-bedrock-agentcore';
import {
  BedrockAgentCoreControlClient,
  CreateMemoryCommand,
  DeleteMemoryCommand,
  GetMemoryCommand,
} from '@aws-sdk/client-bedrock-agentcore-control';
import { Message, TextBlock } from '@strands-agents/sdk';
import { AgentCoreMemoryStore } from 'bedrock-agentcore/memory/strands';
import { AgentCoreMemoryStore as OfOldPath } from 'bedrock-agentcore/experimental/memory/strands';
import * as world from './world.mjs';

const control = new BedrockAgentCoreControlClient({});
const data = new BedrockAgentCoreClient({});
const actorId = 'ann';
const ACTIVE_MAX_MS = 1_000;

/** A memory made as an application makes it, by the control plane. */
async function created() {
  const memoryStrategies = [
    { semanticMemoryStrategy: { name: 'facts', namespaces: ['/facts/{actorId}/'] } },
    { userPreferenceMemoryStrategy: { name: 'preferences', namespaceTemplates: ['/preferences/{actorId}/'] } },
    { summaryMemoryStrategy: { name: 'summaries', namespaceTemplates: ['/summaries/{actorId}/{sessionId}/'] } },
  ];
  const name = `store_${randomUUID().replaceAll('-', '').slice(0, 12)}`;
  return (await control.send(new CreateMemoryCommand({ name, eventExpiryDuration: 30, memoryStrategies }))).memory;
}

const says = (role, text) => new Message({ role, content: [new TextBlock(text)] });
const TURNS = [
  says('user', 'I am a pilot based in Denver.'),
  says('assistant', 'A pilot in Denver, good.'),
  says('user', 'On Sundays I play the cello.'),
  says('assistant', 'The cello, how fine.'),
];
const numbered = (messages) => ({ sequenceNumbers: messages.map((_, index) => index) });

function store(memoryId, sessionId, more) {
  const reading = more?.namespacePath ? {} : { namespace: '/facts/{actorId}/' };
  return new AgentCoreMemoryStore({ memoryId, actorId, sessionId, ...reading, ...more });
}

const writing = (memoryId, sessionId, more) => store(memoryId, sessionId, { writable: true, extraction: true, ...more });

/** Fails unless every turn is recalled, and none twice. */
async function extractedOnce(memoryId) {
  const found = (await store(memoryId, 's1', { maxSearchResults: 50 }).search('the pilot who plays the cello')).map(({ content }) => content);
  assert.deepEqual(found.sort(), TURNS.map((turn) => turn.content[0].text).sort());
}

await world.run({
  '29 a memory is ACTIVE within a second, and tells both spellings of its namespaces': async () => {
    const began = Date.now();
    const { id: memoryId } = await created();
    const { memory } = await control.send(new GetMemoryCommand({ memoryId }));
    assert.equal(memory.status, 'ACTIVE');
    assert.ok(Date.now() - began < ACTIVE_MAX_MS, `${Date.now() - began} ms`);
    for (const { status, namespaces, namespaceTemplates } of memory.strategies) {
      assert.equal(status, 'ACTIVE');
      assert.ok(namespaces.length === 1 && namespaces[0].endsWith('/'), JSON.stringify(namespaces));
      assert.deepEqual(namespaceTemplates, namespaces);
    }
  },

  '29 four turns are one Event, and what is sent again is the same Event': async () => {
    const { id: memoryId } = await created();
    const one = writing(memoryId, 's1');
    await world.forgetRecorded();
    await one.addMessages(TURNS, numbered(TURNS));
    await one.addMessages(TURNS, numbered(TURNS));
    const [first, second] = await world.recorded('/events');
    assert.equal(first.body.clientToken, second.body.clientToken);
    const written = await world.events(memoryId, actorId, 's1');
    const expected = TURNS.map((turn) => [turn.role.toUpperCase(), turn.content[0].text]);
    assert.deepEqual(written.map(({ payload }) => world.turns(payload)), [expected]);
    // Another time stamp is no difference, and neither is another payload: a refusal would stop the client
    // for ever.
    const { clientToken, payload } = first.body;
    for (const changed of [payload, payload.slice(0, 1)]) {
      const again = { memoryId, actorId, sessionId: 's1', clientToken, payload: changed, eventTimestamp: new Date() };
      const answer = await data.send(new CreateEventCommand(again));
      assert.deepEqual([answer.$metadata.httpStatusCode, answer.event.eventId], [201, written[0].eventId]);
    }
    assert.equal((await world.events(memoryId, actorId, 's1')).length, 1);
    await world.wait(memoryId);
    await extractedOnce(memoryId);
  },

  '29 more turns than an Event holds are several Events, listed by their times': async () => {
    const memoryId = await world.newMemory(world.FACTS);
    const line = (_, index) => says(index % 2 ? 'assistant' : 'user', `Line ${index} of the log.`);
    const turns = Array.from({ length: 120 }, line);
    await world.forgetRecorded();
    await writing(memoryId, 's1').addMessages(turns, numbered(turns));
    const sent = (await world.recorded('/events')).map(({ body }) => ({
      time: Math.round(body.eventTimestamp * 1000),
      said: world.turns(body.payload),
    }));
    assert.deepEqual(sent.map(({ said }) => said.length).sort(), [20, 50, 50]);
    const written = await world.events(memoryId, actorId, 's1');
    const listed = written.map(({ eventTimestamp, payload }) => ({
      time: eventTimestamp.getTime(),
      said: world.turns(payload),
    }));
    // Events of one millisecond stand as they arrived, which the recorder knows no better than the client.
    const byText = (one, other) => (one.said[0][1] < other.said[0][1] ? -1 : 1);
    assert.deepEqual([...listed].sort(byText), [...sent].sort(byText));
    const times = listed.map(({ time }) => time);
    assert.deepEqual(times, [...times].sort((one, other) => one - other));
  },

  '29 a larger range that is sent after a part of it is extracted once': async () => {
    const { id: memoryId } = await created();
    const one = writing(memoryId, 's1');
    await one.addMessages(TURNS.slice(0, 2), { sequenceNumbers: [0, 1] });
    await one.addMessages(TURNS, numbered(TURNS));
    await world.wait(memoryId);
    await extractedOnce(memoryId);
  },

  '29 what is recalled has its id, score, date, and exactly the resolved namespace': async () => {
    const { id: memoryId } = await created();
    await writing(memoryId, 's1').addMessages(TURNS, numbered(TURNS));
    await world.wait(memoryId);
    const found = await store(memoryId, 's2', { minScore: 0.5 }).search('Where is the pilot based?');
    assert.ok(found.length > 0 && found[0].content.includes('Denver'), JSON.stringify(found));
    const { _id, _score, _namespaces, _createdAt } = found[0].metadata;
    assert.ok(_id.length > 0 && _score >= 0.5 && _score <= 1, `${_id} ${_score}`);
    assert.deepEqual(_namespaces, ['/facts/ann/']);
    assert.match(_createdAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    const unrelated = await store(memoryId, 's2', { minScore: 0.5 }).search('quarterly tax return of a bakery');
    assert.deepEqual(unrelated, []);
  },

  '29 a subtree is read by whole segments, with and without a slash at its end': async () => {
    const { id: memoryId } = await created();
    for (const [who, thing] of [['ann', 'tulips'], ['ann2', 'maples']]) {
      const turns = [says('user', `I planted ${thing} by the gate.`)];
      const wanted = { memoryId, actorId: who, sessionId: 's1', namespace: '/facts/{actorId}/', writable: true };
      await new AgentCoreMemoryStore(wanted).addMessages(turns, numbered(turns));
    }
    await world.wait(memoryId);
    const places = async (more) => {
      const found = await store(memoryId, 's9', { maxSearchResults: 50, ...more }).search('what was planted by the gate');
      return [...new Set(found.flatMap(({ metadata }) => metadata._namespaces))].sort();
    };
    for (const path of ['/facts', '/facts/']) {
      assert.deepEqual(await places({ namespacePath: path }), ['/facts/ann/', '/facts/ann2/'], path);
    }
    for (const path of ['/facts/{actorId}', '/facts/{actorId}/']) {
      assert.deepEqual(await places({ namespacePath: path }), ['/facts/ann/'], path);
      assert.deepEqual(await places({ namespace: path }), ['/facts/ann/'], path);
    }
    const everything = ['/facts/ann/', '/facts/ann2/', '/summaries/ann/s1/', '/summaries/ann2/s1/'];
    const found = await places({ namespacePath: '/' });
    assert.ok(everything.every((place) => found.includes(place)), JSON.stringify(found));
    assert.deepEqual(await places({ namespace: '/facts' }), [], 'no textual prefix');
  },

  '29 a session sees nothing of another': async () => {
    const { id: memoryId } = await created();
    await writing(memoryId, 's1').addMessages(TURNS, numbered(TURNS));
    await world.wait(memoryId);
    const summaries = (sessionId) => store(memoryId, sessionId, { namespace: '/summaries/{actorId}/{sessionId}/' });
    const own = await summaries('s1').search('cello');
    assert.ok(own.length > 0, 'its own summary is there');
    assert.deepEqual([...new Set(own.flatMap(({ metadata }) => metadata._namespaces))], ['/summaries/ann/s1/']);
    for (const other of ['s', 's10', 's2']) assert.deepEqual(await summaries(other).search('cello'), [], other);
  },

  '29 turns that are to be skipped are stored and never recalled': async () => {
    const { id: memoryId } = await created();
    await writing(memoryId, 's1', { extractionMode: 'SKIP' }).addMessages(TURNS, numbered(TURNS));
    await world.wait(memoryId);
    assert.equal((await world.events(memoryId, actorId, 's1')).length, 1);
    assert.deepEqual(await store(memoryId, 's1', { namespacePath: '/' }).search('pilot cello'), []);
  },

  '29 turns whose metadata differ are Events of their own': async () => {
    const { id: memoryId } = await created();
    const one = writing(memoryId, 's1', { metadataProvider: ({ role }) => ({ role, turn: 1 }) });
    await one.addMessages(TURNS, numbered(TURNS));
    const written = await world.events(memoryId, actorId, 's1');
    const told = written.map(({ metadata, payload }) => [metadata.role.stringValue, metadata.turn.stringValue, payload.length]);
    assert.deepEqual(told.sort(), [['assistant', '1', 1], ['assistant', '1', 1], ['user', '1', 1], ['user', '1', 1]]);
    await world.wait(memoryId);
    await extractedOnce(memoryId);
  },

  '29 a memory that is deleted is gone for reads and writes, and its errors have their names': async () => {
    const { id: memoryId } = await created();
    await control.send(new DeleteMemoryCommand({ memoryId }));
    const gone = { name: 'ResourceNotFoundException' };
    await assert.rejects(control.send(new GetMemoryCommand({ memoryId })), gone);
    await assert.rejects(store(memoryId, 's1').search('pilot'), gone);
    await assert.rejects(writing(memoryId, 's1').addMessages(TURNS, numbered(TURNS)), (error) => error.errors[0].name === gone.name);
    const { id: other } = await created();
    await assert.rejects(store(other, 's1').search(''), { name: 'ValidationException' });
  },

  '29 the older path of the package exports the same store': async () => {
    assert.equal(OfOldPath, AgentCoreMemoryStore);
  },
});
