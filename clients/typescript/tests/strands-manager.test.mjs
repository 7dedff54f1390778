// `consolidate` of a store and of a manager, without Strands, against a server that runs.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { Client } from '../dist/index.js';
import { LociMemoryStore } from '../dist/strands.js';
import { managerWithConsolidation } from '../dist/strands-manager.js';
import { skip, startServer } from './running.mjs';

class Manager {
  constructor({ stores }) {
    this.stores = stores;
  }
}

describe('consolidation of a server', { skip }, () => {
  let server;
  let client;

  before(async () => {
    server = await startServer();
    client = new Client({ url: server.url, timeoutMs: 60_000 });
  });
  after(() => server.stop());

  it('plans a contradiction, then resolves it', async () => {
    const { id: memory } = await client.memoryCreate({ name: 'notes' });
    const namespace = '/facts/ann/';
    for (const [name, body] of Object.entries({ home: 'The user lives in Bern.', moved: 'The user lives in Zurich.' })) {
      await client.documentPut(memory, `knowledge/facts/${name}.md`, { body }, { namespace, force: '1' });
    }
    const config = { client, memory: 'notes', actor: 'ann' };
    const store = new LociMemoryStore({ ...config, name: 'notes', writable: true });
    const run = await store.consolidate({ scope: { kind: 'all' } });
    assert.deepEqual([run.status, run.namespace, run.plan.map((one) => one.action.type)], ['planned', namespace, ['supersede']]);
    await client.consolidationCancel(memory, run.id, { namespace });
    const reader = new LociMemoryStore({ ...config, name: 'reader' });
    const manager = new (managerWithConsolidation(Manager))({ stores: [store, reader] });
    const runs = await manager.consolidate({ apply: true, scope: { kind: 'all' } });
    assert.deepEqual(Object.entries(runs).map(([name, done]) => [name, done.status]), [['notes', 'applied']]);
    await assert.rejects(reader.consolidate(), /read-only/);
  });
});

it('tells an error under the name of its store', async () => {
  const failing = { name: 'failing', writable: true, consolidate: () => Promise.reject(new Error('gone')) };
  const runs = await new (managerWithConsolidation(Manager))({ stores: [failing, { name: 'other', writable: true }] }).consolidate();
  assert.deepEqual([Object.keys(runs), runs.failing.message], [['failing'], 'gone']);
});
