// The client against a server that runs: what agents do with a memory, from making it to deleting it.

import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';

import { Client, Conflict, InvalidArgument, NotFound } from '../dist/index.js';
import { skip, startServer } from './running.mjs';

const BOAT = 'My boat is called Gull and lies in Largs.';
const said = (text) => ({ message: { role: 'user', text } });

describe('a server', { skip }, () => {
  let server;
  let client;
  let memory;
  let count = 0;

  before(async () => {
    server = await startServer();
    client = new Client({ url: server.url, timeoutMs: 60_000 });
  });
  after(() => server.stop());
  beforeEach(async () => {
    count += 1;
    const strategies = [{ kind: 'semantic', name: 'facts', namespace: '/facts/{actorId}/' }];
    memory = (await client.memoryCreate({ name: `notes${count}`, strategies })).id;
  });
  afterEach(() => client.memoryDelete(memory));

  it('makes, lists, changes and deletes memories', async () => {
    const shown = await client.memoryGet(memory);
    assert.equal(shown.strategies[0].namespace, '/facts/{actorId}/');
    assert.deepEqual((await client.memoryList({ name: shown.name })).memories.map((one) => one.id), [memory]);
    await client.memoryUpdate(memory, { description: 'boats' });
    assert.equal((await client.memoryGet(memory)).description, 'boats');
    const other = await client.memoryCreate({ name: 'other' }, { idempotencyKey: 'other-1' });
    assert.equal((await client.memoryCreate({ name: 'other' }, { idempotencyKey: 'other-1' })).id, other.id);
    await client.memoryDelete(other.id);
    await assert.rejects(client.memoryGet(other.id), NotFound);
  });

  it('finds what was said, and leads back', async () => {
    const place = { actor: 'org/alice', session: 's-1' };
    const { event } = await client.eventCreate(memory, { ...place, payload: [said(BOAT)] });
    assert.ok((await client.extractionWait(memory, { actor: 'org/alice', timeout_ms: 50_000 })).complete);
    const question = { memory, query: 'What is the name of my boat?' };
    const { hits } = await client.search({ ...question, namespace_paths: ['/facts/org/alice'] });
    assert.match(hits[0].record.text, /Gull/);
    assert.deepEqual((await client.search({ ...question, namespace_paths: ['/facts/org/bob'] })).hits, []);
    assert.deepEqual((await client.eventGet(memory, event.id, place)).payload, [said(BOAT)]);
    assert.equal(await client.eventDelete(memory, event.id, place), undefined);
    await assert.rejects(client.eventGet(memory, event.id, place), NotFound);
  });

  it('makes records once for a key', async () => {
    const records = [{ namespace: '/facts/alice', text: 'Alice sails.', metadata: { mast: 2 } }];
    const first = await client.recordsCreate(memory, { records }, { idempotencyKey: 'k-1' });
    assert.deepEqual(await client.recordsCreate(memory, { records }, { idempotencyKey: 'k-1' }), first);
    const other = client.recordsCreate(memory, { records: [] }, { idempotencyKey: 'k-1' });
    await assert.rejects(other, (error) => error instanceof Conflict && error.code === 'IDEMPOTENCY_KEY_REUSED');
    const listed = (await client.recordList(memory, { namespace_paths: ['/facts'] })).records;
    assert.deepEqual(listed.map((one) => one.id), [first.items[0].id]);
    await client.recordsUpdate(memory, { records: [{ id: listed[0].id, text: 'Alice sails at night.' }] });
    const { versions } = await client.recordHistory(memory, listed[0].id);
    assert.deepEqual(versions.map((one) => one.text), ['Alice sails.', 'Alice sails at night.']);
    await client.recordDelete(memory, listed[0].id);
    assert.deepEqual((await client.recordList(memory)).records, []);
  });

  it('keeps documents in a tree', async () => {
    const path = 'knowledge/boats/gull one.md';
    const query = { namespace: '/docs' };
    const made = await client.documentPut(memory, path, { body: '# Gull\nA sloop.\n' }, query, { ifAbsent: true });
    const stale = client.documentPut(memory, path, { body: 'x' }, query, { ifMatch: '"stale"' });
    await assert.rejects(stale, (error) => error instanceof Conflict && error.code === 'STALE_VERSION');
    const shown = await client.documentGet(memory, path, query);
    assert.deepEqual([shown.body, shown.etag], ['# Gull\nA sloop.\n', made.etag]);
    const raw = await client.request('GET', `/v1/memories/${memory}/files/knowledge/boats/gull%20one.md?namespace=/docs&raw=1`);
    assert.match(new TextDecoder().decode(raw.content), /A sloop\./);
    await client.documentAppend(memory, { ...query, path, lines: ['Red hull.'] });
    assert.equal((await client.treeGrep(memory, { ...query, pattern: 'hull' })).matches, 1);
    assert.deepEqual((await client.treeList(memory, query)).entries.map((one) => one.path), [path]);
    await client.documentDelete(memory, path, { ...query, force: '1' });
    assert.deepEqual((await client.treeList(memory, query)).entries, []);
  });

  it('parks bytes', async () => {
    const bytes = new Uint8Array([0, 255]);
    assert.equal((await client.objectPut(memory, 'runs/1.bin', bytes)).bytes, 2);
    assert.deepEqual(new Uint8Array(await client.objectGet(memory, 'runs/1.bin')), bytes);
    assert.deepEqual((await client.objectsList(memory, { prefix: 'runs/' })).objects.map((one) => one.key), ['runs/1.bin']);
  });

  it('takes a task in, and its report', async () => {
    await client.repositoryAdd({ name: 'team/boats' });
    const taken = await client.taskCreate({ repo: 'team/boats', description: 'Paint the hull.', task_id: 'paint-1' });
    assert.equal(taken.task_id, 'paint-1');
    assert.equal((await client.taskHydrate('paint-1')).task_id, 'paint-1');
    const done = await client.taskComplete('paint-1', { status: 'completed', summary: 'Painted.' });
    assert.ok(done.memory_written);
  });

  it('names the member that breaks a rule', async () => {
    const bad = client.memoryCreate({ name: 'no-hyphens' });
    await assert.rejects(bad, (error) => error instanceof InvalidArgument && error.field === 'name' && error.status === 400);
    const unknown = client.search({ memory, query: 'q', colour: 'red' });
    await assert.rejects(unknown, (error) => error instanceof InvalidArgument && /colour/.test(error.message));
  });
});
