// The documents that prompts begin with, without Strands, against a server that runs.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { Client, NotFound } from '../dist/index.js';
import { LociDocuments } from '../dist/strands-documents.js';
import { skip, startServer } from './running.mjs';

describe('documents of a server', { skip }, () => {
  let server;
  let client;

  before(async () => {
    server = await startServer();
    client = new Client({ url: server.url, timeoutMs: 60_000 });
  });
  after(() => server.stop());

  it('renders system in full and lists the others', async () => {
    const { id: memory } = await client.memoryCreate({ name: 'notes' });
    const documents = new LociDocuments({ client, memory: 'notes' });
    assert.equal(await documents.render(), undefined);
    const written = { rules: 'knowledge/system/rules.md', theme: 'knowledge/facts/theme.md' };
    await client.documentPut(memory, written.rules, { body: 'Answer in English.' }, { force: '1' });
    const theme = { body: 'Dark mode everywhere.', description: 'Editor theme' };
    await client.documentPut(memory, written.theme, theme, { force: '1' });
    const text = await documents.render();
    assert.ok(text.startsWith(`<memory-document path="${written.rules}">\nAnswer in English.\n`), text);
    assert.ok(text.includes(`<file path="${written.theme}">Editor theme</file>`), text);
    assert.ok(!text.includes('Dark mode'), text);
    const small = new LociDocuments({ client, memory: 'notes', budgetTokens: 30 });
    assert.ok((await small.text()).length <= 120);
    await assert.rejects(new LociDocuments({ client }).text(), NotFound);
  });
});

it('refuses what it could not ask for', () => {
  const client = new Client({ url: 'http://127.0.0.1:1' });
  for (const config of [{ memory: ' ' }, { mount: 1 }, { memory: 'a', mount: 'b' }, { namespace: '/a' }, { budgetTokens: 0 }]) {
    assert.throws(() => new LociDocuments({ client, ...config }), /LociDocuments: /, JSON.stringify(config));
  }
});
