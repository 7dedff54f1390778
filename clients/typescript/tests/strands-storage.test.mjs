// The storage for Strands, without Strands, against a server that runs.

import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';

import { Client, InvalidArgument, LociError } from '../dist/index.js';
import { LociStorage } from '../dist/strands-storage.js';
import { recordedServer } from './recorded-server.mjs';
import { skip, startServer } from './running.mjs';

const ODD = ['', 'a', 'a\r\nb\r\n', '---\ntitle: x\n---\nbody\n', 'ä\u2028\0x', '\n\n# T\n\nx\n\n', '  lead\n'];
const bytesOf = (text) => new TextEncoder().encode(text);
const plain = (bytes) => bytes && new Uint8Array(bytes);

describe('a storage of a server', { skip }, () => {
  let server;
  let client;
  let memory;
  let storage;

  before(async () => {
    server = await startServer();
    client = new Client({ url: server.url, timeoutMs: 60_000 });
  });
  after(() => server.stop());
  beforeEach(async () => {
    memory = (await client.memoryCreate({ name: 'files' })).id;
    storage = new LociStorage({ client, memory: 'files', namespace: '/files/alice' });
  });
  afterEach(() => client.memoryDelete(memory));

  it('gives bytes back as they were', async () => {
    for (const key of ['memory/agent/odd.md', 'sessions/odd.bin']) {
      assert.equal(await storage.read(key), null);
      for (const text of ODD) {
        await storage.write(key, bytesOf(text));
        assert.deepEqual(plain(await storage.read(`/${key}`)), bytesOf(text), `${key} ${JSON.stringify(text)}`);
      }
      await storage.delete(key);
      await storage.delete(key);
      assert.equal(await storage.read(key), null);
    }
    const bytes = new Uint8Array([0, 255]);
    await storage.write('sessions/odd.bin', bytes);
    assert.deepEqual(plain(await storage.read('sessions/odd.bin')), bytes);
    await assert.rejects(storage.write('memory/bytes.md', bytes), InvalidArgument);
    for (const key of ['', '/', 'a/../b', 'a\\b']) await assert.rejects(storage.write(key, bytes), InvalidArgument);
  });

  it('keeps namespaces beneath apart', async () => {
    const above = new LociStorage({ client, memory: 'files', namespace: '/files' });
    for (const name of ['a.md', 'a.bin']) {
      await storage.write(name, bytesOf('of alice'));
      assert.equal(await above.read(`alice/${name}`), null);
      await above.write(`alice/${name}`, bytesOf('above'));
      assert.deepEqual(plain(await storage.read(name)), bytesOf('of alice'));
    }
    assert.deepEqual(await above.list(''), ['alice/a.bin', 'alice/a.md']);
  });

  it('takes no key for another that looks like it', async () => {
    for (const [one, other] of [['T.md', 't.md'], ['\u00e9.md', 'e\u0301.md']]) {
      await storage.write(one, bytesOf('one'));
      await assert.rejects(storage.write(other, bytesOf('other')), InvalidArgument);
      await storage.delete(other);
      assert.equal(await storage.read(other), null);
      await storage.write(one, bytesOf('one again'));
      assert.deepEqual(plain(await storage.read(one)), bytesOf('one again'));
    }
  });

  it('lists keys by how they begin', async () => {
    const keys = ['memory/a.md', 'memory/ab.md', 'memory/b/c.md', 'memory/a.json', 'sessions/s-1/x'];
    for (const key of keys) await storage.write(key, bytesOf(key));
    const other = new LociStorage({ client, memory, namespace: '/files/bob' });
    await other.write('memory/theirs.md', bytesOf('not hers'));
    await other.write('memory/theirs.bin', bytesOf('not hers'));
    for (const prefix of ['', 'memory/', 'memory/a', 'memory', 'memory/b/', 'sessions/s-1/x', 'none/', '/memory//b/']) {
      const normal = prefix.replace('//', '/').replace(/^\//, '');
      assert.deepEqual(await storage.list(prefix), keys.filter((key) => key.startsWith(normal)).sort(), prefix);
    }
    for (const prefix of ['../', 'memory/../', 'a\\']) await assert.rejects(storage.list(prefix), InvalidArgument);
    assert.deepEqual(await other.list(''), ['memory/theirs.bin', 'memory/theirs.md']);
  });

  it('lists more than a page', async () => {
    const numbers = Array.from({ length: 101 }, (_, number) => String(number).padStart(3, '0'));
    const keys = ['md', 'bin'].flatMap((kind) => numbers.map((number) => `m/${number}.${kind}`));
    for (const key of keys) await storage.write(key, bytesOf(key));
    assert.deepEqual(await storage.list('m/'), keys.sort());
  });

  it('finds documents', async () => {
    const boats = bytesOf('# Boats\nThe sloop Gull lies in Largs.\n');
    await storage.write('memory/boats.md', boats);
    await storage.write('memory/bread.md', bytesOf('# Bread\nRye needs a warm night.\n'));
    // By their words at once; by their meaning as soon as the server has read them.
    const [found] = await storage.search('Where does the sloop lie?');
    assert.deepEqual([found.key, found.data, found.score > 0], ['memory/boats.md', boats, true]);
    const elsewhere = new LociStorage({ client, memory: 'files', namespace: '/files/bob' });
    assert.deepEqual(await elsewhere.search('Where does the sloop lie?'), []);
    assert.deepEqual(await storage.search('  '), []);
  });
});

it('says that what cannot be read was not written', () =>
  recordedServer([{ status: 201, body: { state: 'quarantined' } }], async (url, asked) => {
    const storage = new LociStorage({ client: new Client({ url }), memory: 'm-1', namespace: '/files' });
    await assert.rejects(storage.write('a.md', bytesOf('x')), (error) => error instanceof LociError && /quarantined/.test(error.message));
    assert.equal(asked[0].headers['content-type'], 'text/markdown');
  }));
