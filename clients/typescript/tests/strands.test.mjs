// The store for Strands agents, without Strands: against recorded answers, and against a server that runs.

import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';

import { Client, NotFound } from '../dist/index.js';
import { LociMemoryStore, assertWritableTopology, lociMemoryStores } from '../dist/strands.js';
import { recordedServer } from './recorded-server.mjs';
import { skip, startServer } from './running.mjs';

const MADE = { status: 201, body: { items: [{ id: 'r-1' }], failed: 0 } };
const EVENT = { status: 201, body: { event: { id: 'e-1' } } };
const numbered = (...sequenceNumbers) => ({ sequenceNumbers });
const said = (role, ...texts) => ({ role, content: texts.map((text) => ({ text })) });

/** What was asked, of a store of the memory `notes-1`, and what came of it. */
function asking(answers, call, config = {}) {
  return recordedServer(answers, async (url, asked) => {
    const given = { memory: 'notes-1', actor: 'alice', session: 's-1', writable: true, ...config };
    const result = await call(new LociMemoryStore({ client: new Client({ url, retries: 0 }), ...given }));
    return { asked, result };
  });
}

describe('a store', () => {
  it('searches in its scope', async () => {
    const record = { id: 'r', text: 't', namespace: '/facts/alice', created_at: 'c', timestamp: 'o', metadata: { k: 'v' } };
    const ofStore = { key: 'team', operator: 'exists' };
    const ofCall = { key: 'k', operator: 'exists' };
    const options = { maxSearchResults: 2, filter: [ofCall], asOf: '2026-01-01T00:00:00Z', budgetTokens: 90 };
    const config = { filters: [ofStore], namespacePath: ['/facts/{actorId}', '/talks/{sessionId}'], relevanceMin: 0.2 };
    const answer = { body: { hits: [{ record, relevance: 0.7 }] } };
    const { asked, result } = await asking([answer], (store) => store.search('q', options), config);
    assert.deepEqual(asked[0].body, {
      memory: 'notes-1',
      query: 'q',
      namespace_paths: ['/facts/alice', '/talks/s-1'],
      top_k: 2,
      metadata: [ofStore, ofCall],
      as_of: '2026-01-01T00:00:00Z',
      relevance_min: 0.2,
      budget_tokens: 90,
    });
    const known = { _id: 'r', _score: 0.7, _namespaces: ['/facts/alice'], _createdAt: 'c', _observedAt: 'o' };
    assert.deepEqual(result, [{ content: 't', metadata: { k: 'v', ...known } }]);
  });

  it('refuses limits that are none', async () => {
    for (const maxSearchResults of [0, -1, 2.5, '3']) {
      await assert.rejects(asking([], (store) => store.search('q', { maxSearchResults })), /maxSearchResults/);
    }
    const { asked } = await asking([{ body: { hits: [] } }], (store) => store.search('q'));
    assert.equal(asked[0].body.top_k, 5);
  });

  it('adds a text once in a run', async () => {
    const { asked, result } = await asking([MADE, MADE, MADE], async (store) => {
      await store.add('Sails.', { b: true, a: [1, 2] });
      await store.add('Sails.', { a: [1, 2], b: true });
      return store.add('Sails.', { a: 'other' });
    });
    const record = { namespace: '/facts/alice', text: 'Sails.', metadata: { a: '[1,2]', b: 'true' } };
    assert.deepEqual(asked[0].body, { records: [record] });
    const [first, second, third] = asked.map((one) => one.headers['idempotency-key']);
    assert.equal(first, second);
    assert.notEqual(second, third);
    assert.deepEqual([Object.keys(asked[0].body.records[0].metadata), result], [['a', 'b'], { id: 'r-1' }]);
  });

  it('refuses by name what cannot be kept', async () => {
    for (const metadata of [{ x: null }, { x: NaN }, { _x: '1' }]) {
      await assert.rejects(asking([], (store) => store.add('t', metadata)), /'_?x'/);
    }
    await assert.rejects(asking([], (store) => store.add('  \n')), /blank/);
    const failed = { status: 201, body: { items: [{ id: 'r', error: { code: 'TOO_LARGE', message: 'long' } }], failed: 1 } };
    await assert.rejects(asking([failed], (store) => store.add('t')), (error) => error.code === 'TOO_LARGE');
  });

  it('stores messages as one event, with a key of their numbers', async () => {
    const used = { toolUse: { name: 'look', toolUseId: 't', input: {} } };
    const result = { toolUseId: 't', status: 'success', content: [{ text: 'seen' }, { image: {} }] };
    const tools = { role: 'user', content: [used, { toolResult: result }] };
    const messages = [said('user', ' hi ', 'there'), said('assistant', ' '), tools];
    const { asked, result: made } = await asking([EVENT, EVENT], async (store) => {
      await store.addMessages(messages, numbered(3, 4, 7));
      return store.addMessages(messages, numbered(3, 4, 7));
    });
    const plain = { toolResult: { ...result, content: [{ text: 'seen' }] } };
    const payload = [{ message: { role: 'user', text: 'hi\nthere' } }, { blob: used }, { blob: plain }];
    assert.deepEqual(asked[0].body, { actor: 'alice', session: 's-1', payload });
    assert.match(asked[0].headers['idempotency-key'], /^notes-1-alice-[0-9a-f]{32}-3-7$/);
    assert.equal(asked[0].headers['idempotency-key'], asked[1].headers['idempotency-key']);
    assert.deepEqual(made, { events: ['e-1'] });
  });

  it('makes no call of nothing, and several of much', async () => {
    const nothing = [said('system', 'be kind'), said('user', '')];
    assert.equal((await asking([], (store) => store.addMessages(nothing))).asked.length, 0);
    const many = Array.from({ length: 101 }, (_, number) => said('user', String(number)));
    const { asked } = await asking([EVENT, EVENT, EVENT], (store) => store.addMessages(many, numbered(...many.keys())));
    assert.deepEqual(asked.map((one) => one.body.payload.length), [50, 50, 1]);
    const ends = asked.map((one) => one.headers['idempotency-key'].split('-').slice(-2));
    assert.deepEqual(ends, [['0', '49'], ['50', '99'], ['100', '100']]);
    const used = { role: 'assistant', content: Array(60).fill({ toolUse: { name: 'look', toolUseId: 't', input: {} } }) };
    const full = await asking([EVENT, EVENT], (store) => store.addMessages([used, used], numbered(0, 1)));
    assert.deepEqual(full.asked.map((one) => one.body.payload.length), [60, 60], 'an event has at most 100 parts');
    const twice = await asking([EVENT, EVENT], async (store) => {
      await store.addMessages(many.slice(0, 1));
      await store.addMessages(many.slice(0, 1));
    });
    assert.equal(new Set(twice.asked.map((one) => one.headers['idempotency-key'])).size, 2);
  });

  it('refuses when it is made what does not fit', () => {
    const bad = [
      [{ namespacePath: ['/x', '/x/{other}'] }, /brace/],
      [{ namespacePath: [] }, /namespacePath/],
      [{ namespace: ['/x', ' '] }, /namespace/],
      [{ namespaces: ['/x'] }, /namespaces is no option/],
      [{ budgetTokens: 0 }, /budgetTokens/],
      [{ metadataProvider: { team: 'red' } }, /metadataProvider/],
      [{ tools: ['memory_timeline'] }, /tool/],
      [{ tools: ['memory_forget'], tool: () => ({}), writable: false }, /writable/],
    ];
    for (const [config, word] of bad) {
      const given = { memory: 'm-1', actor: 'a', url: 'http://127.0.0.1:9', writable: true, ...config };
      assert.throws(() => new LociMemoryStore(given), word, JSON.stringify(config));
    }
  });

  it('has a name of all its places', () => {
    const places = ['/facts/{actorId}', '/preferences/{actorId}'];
    const config = { memory: 'm-1', actor: 'a', url: 'http://127.0.0.1:9', namespacePath: places };
    assert.equal(new LociMemoryStore(config).name, 'facts-preferences');
  });

  it('knows no record beneath an exact namespace', async () => {
    const record = { body: { id: 'r', namespace: '/facts/alice/deeper' } };
    const config = { namespace: '/facts/{actorId}' };
    await assert.rejects(asking([record], (store) => store.history('r'), config), NotFound);
    const { asked } = await asking([{ body: { records: [] } }], (store) => store.timeline(), config);
    assert.deepEqual(asked[0].body, { namespaces: ['/facts/alice'], limit: 20 });
  });

  it('has a session that cannot be blanked later', () => {
    const store = new LociMemoryStore({ memory: 'm-1', actor: 'a', url: 'http://127.0.0.1:9' });
    assert.throws(() => {
      store.session = '';
    }, TypeError);
  });

  it('is one of several with one writer', () => {
    const shared = { memory: 'm-1', actor: 'a', url: 'http://127.0.0.1:9' };
    const places = [{ namespacePath: '/facts/{actorId}' }, { namespace: '/facts/{actorId}' }, { namespace: '/talks/{sessionId}' }];
    const stores = lociMemoryStores(places, { ...shared, extraction: true });
    assert.deepEqual(stores.map((store) => store.name), ['facts', 'facts-2', 'talks']);
    assert.deepEqual(stores.map((store) => store.writable), [true, false, false]);
    assert.deepEqual(stores.map((store) => store.extraction), [true, undefined, undefined]);
    assert.equal(new Set(stores.map((store) => store.session)).size, 1);
    assertWritableTopology(stores, { expectExtraction: true });
    const chosen = lociMemoryStores([places[0], { ...places[2], writable: true }], shared);
    assert.deepEqual(chosen.map((store) => store.writable), [false, true]);
    const bad = [
      [[], {}, /at least one place/],
      [places.map((place) => ({ ...place, writable: true })), {}, /at most one/],
      [places.map((place) => ({ ...place, writable: false })), { extraction: true }, /opted out/],
      [[{ ...places[0], name: 'x' }, { ...places[2], name: 'x' }], {}, /name 'x'/],
    ];
    for (const [given, more, word] of bad) assert.throws(() => lociMemoryStores(given, { ...shared, ...more }), word);
  });

  it('makes its tools with what makes tools', async () => {
    const config = { tool: (described) => described, tools: ['memory_history', 'memory_timeline'] };
    const { result } = await asking([], async (store) => store.getTools(), config);
    assert.deepEqual(result.map((one) => one.name), ['memory_history', 'memory_timeline']);
    assert.deepEqual(result[0].inputSchema.required, ['id']);
  });
});

describe('a store of a server', { skip }, () => {
  let server;
  let client;
  let memory;

  before(async () => {
    server = await startServer();
    client = new Client({ url: server.url, timeoutMs: 60_000 });
  });
  after(() => server.stop());
  beforeEach(async () => {
    const strategies = [{ kind: 'semantic', name: 'facts', namespace: '/facts/{actorId}/' }];
    const indexed_keys = [{ key: 'season', kind: 'string' }];
    memory = (await client.memoryCreate({ name: 'agents', strategies, indexed_keys })).id;
  });
  afterEach(() => client.memoryDelete(memory));

  const storeOf = (actor, config = {}) => new LociMemoryStore({ client, memory: 'agents', actor, writable: true, ...config });

  it('finds for its actor alone what was said and added', async () => {
    const told = [];
    const alice = storeOf('alice', { extraction: true, warn: (text) => told.push(text) });
    await alice.initialize();
    const messages = [said('user', 'My boat is called Gull and lies in Largs.'), said('assistant', 'Noted.')];
    const first = await alice.addMessages(messages, numbered(0, 1));
    assert.deepEqual(await alice.addMessages(messages, numbered(0, 1)), first);
    await alice.add('Alice paints her hull red.', { season: 'spring' });
    await client.extractionWait(memory, { timeout_ms: 50_000 });
    const [found] = await alice.search('What is the name of my boat?');
    assert.match(found.content, /Gull/);
    assert.ok(found.metadata._score > 0.3);
    const filter = [{ key: 'season', operator: 'equals_to', value: 'spring' }];
    assert.deepEqual((await alice.search('hull', { filter })).map((one) => one.content), ['Alice paints her hull red.']);
    assert.deepEqual(await storeOf('bob').search('What is the name of the boat?'), []);
    assert.deepEqual(told, []);
  });

  it('does not know ids of others', async () => {
    const [alice, bob] = [storeOf('alice'), storeOf('bob')];
    const { id } = await alice.add('Alice keeps a key under the mat.');
    await assert.rejects(bob.history(id), NotFound);
    await assert.rejects(bob.forget(id), NotFound);
    assert.deepEqual((await alice.timeline()).map((one) => one.id), [id]);
    assert.deepEqual(await bob.timeline(), []);
    assert.equal((await alice.history(id)).versions.length, 1);
    await assert.rejects(bob.feedback(id, 'wrong'), NotFound);
    assert.deepEqual(await alice.feedback(id, 'wrong', 'it moved'), { useful: 0, wrong: 1, state: 'active' });
    assert.equal((await alice.feedback(id, 'useful')).useful, 1);
    await alice.forget(id);
    assert.deepEqual(await alice.timeline(), []);
    const again = await alice.add('Alice keeps a key under the mat.');
    assert.deepEqual((await alice.timeline()).map((one) => one.id), [again.id]);
  });

  it('tells at its start what is wrong', async () => {
    await assert.rejects(new LociMemoryStore({ client, memory: 'nowhere', actor: 'a' }).initialize(), NotFound);
    const told = [];
    const config = { extraction: true, namespacePath: '/elsewhere/{actorId}', warn: (text) => told.push(text) };
    await storeOf('a', config).initialize();
    assert.match(told.join(), /no strategy writes/);
  });
});
