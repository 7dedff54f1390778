// Test 32: the stock `FileMemoryStore` of a TypeScript agent on a mirrored directory, and sessions, offloaded
// results and memory over S3. The server of the suite has no mirror: `files.py` starts one, and names it in
// the environment.

import assert from 'node:assert/strict';
import { readFile, rm } from 'node:fs/promises';
import { S3Client } from '@aws-sdk/client-s3';
import { MemoryManager, SessionManager, tool } from '@strands-agents/sdk';
import { S3Storage } from '@strands-agents/sdk/storage';
import { FileMemoryStore } from '@strands-agents/sdk/vended-memory-stores/file-memory-store';
import { ContextOffloader } from '@strands-agents/sdk/vended-plugins/context-offloader';
import { z } from 'zod';
import * as world from './world.mjs';

const PLACE = '.strands/memory/notes';
const memory = process.env.MEMORY;
const native = (method, path, body) => world.call(method, `/v1/memories/${memory}${path}`, body, process.env.SERVED_URL);
const sync = () => native('POST', '/mirrors/desk/sync');
const add = (...entries) => world.calling('add_memory', { entries });
const search = (query) => world.calling('search_memory', { query });
const said = async (agent, text) => world.texts((await agent.invoke(text)).lastMessage).join('');

/** A stock agent with a file store; it keeps its files where it always does. */
function agent() {
  const stores = [new FileMemoryStore({ name: 'notes' })];
  return world.agent('echo', { memoryManager: new MemoryManager({ stores, addToolConfig: true }) });
}

async function lines(path) {
  const { body } = await native('GET', `/files/knowledge/facts/${path}?namespace=/`);
  return body.trimEnd().split('\n');
}

const soundings = tool({
  name: 'soundings',
  description: 'Depths along the firth.',
  inputSchema: z.object({}),
  callback: () => Array.from({ length: 2_000 }, (_, mile) => `At mile ${mile} it is ${(mile * 7) % 90} fathoms deep.`).join('\n'),
});

/** An agent all of whose storage is a bucket: the memory's. */
function sailor() {
  const s3Client = new S3Client({ endpoint: `${process.env.SERVED_URL}/s3`, region: 'us-west-2', forcePathStyle: true });
  const storage = () => new S3Storage(memory, { s3Client });
  return world.agent('quiet', {
    id: 'sailor',
    tools: [soundings],
    memoryManager: new MemoryManager({ stores: [new FileMemoryStore({ name: 'bucket', storage: storage() })], addToolConfig: true }),
    sessionManager: new SessionManager({ sessionId: 's1', storage: storage() }),
    plugins: [new ContextOffloader({ storage: storage(), maxResultTokens: 500, previewTokens: 100 })],
  });
}

await world.run({
  '32 typescript: what an agent adds to its files is a document, and what others write is found in its files': async () => {
    await agent().invoke(add('# Boats\n- The sloop Gull lies in Largs.'));
    await sync();
    assert.deepEqual(await lines('boats.md'), ['# Boats', '- The sloop Gull lies in Largs.']);
    await native('POST', '/tree/append', { path: 'knowledge/facts/boats.md', lines: ['- Her mast is spruce.'] });
    await sync();
    const answer = await said(agent(), search('spruce mast'));
    assert.ok(answer.includes('Largs') && answer.includes('spruce'), answer);
  },

  '32 typescript: lines that an agent and the server add to one file meanwhile are both there, on both sides': async () => {
    await agent().invoke(add('# Tides\n- one'));
    await sync();
    await agent().invoke(add('# Tides\n- of the agent'));
    await native('POST', '/tree/append', { path: 'knowledge/facts/tides.md', lines: ['- of a person'] });
    await sync();
    const expected = ['# Tides', '- of a person', '- of the agent', '- one'];
    assert.deepEqual((await lines('tides.md')).sort(), expected);
    const file = await readFile(`${PLACE}/tides.md`, 'utf8');
    assert.deepEqual(file.trimEnd().split('\n').sort(), expected);
  },

  '32 typescript: a directory that disappears takes nothing from the server, and comes back': async () => {
    await rm(PLACE, { recursive: true });
    for (let look = 0; look < 3; look += 1) await sync();
    assert.ok((await lines('boats.md')).includes('- The sloop Gull lies in Largs.'));
    assert.ok((await said(agent(), search('sloop'))).includes('Largs'));
  },

  '32 typescript: session, offloaded results and memory of an agent are in a bucket, and a new agent goes on': async () => {
    const first = sailor();
    await first.invoke(add('# Boats\n- The ketch Tern lies in Oban.'));
    await first.invoke('CALL soundings {}');
    const second = sailor();
    await second.initialize();
    assert.deepEqual(second.messages.map(world.texts), first.messages.map(world.texts));
    assert.equal(second.messages.length, 8);
    const preview = world.results(second).at(-1).text;
    assert.ok(!preview.includes('At mile 1999'), preview);
    const [reference] = preview.match(/[^\s[\]():,]*call-[^\s[\]():,]*/);
    await second.invoke(world.calling('retrieve_offloaded_content', { reference, pattern: 'mile 1999 ' }));
    assert.ok(world.results(second).at(-1).text.includes(`At mile 1999 it is ${(1999 * 7) % 90} fathoms deep.`));
    await second.invoke(search('ketch'));
    assert.ok(world.results(second).at(-1).text.includes('Oban'));
  },
});
