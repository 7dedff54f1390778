// Test 30 in TypeScript: the package on npm carries no tests, so these hold Strands' own storages and
// `LociStorage` to one contract, and run what is built on a storage (memory files, sessions) on each of them.

import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SessionManager } from '@strands-agents/sdk';
import { InMemoryStorage, LocalFileStorage } from '@strands-agents/sdk/storage';
import { FileMemoryStore } from '@strands-agents/sdk/vended-memory-stores/file-memory-store';
import * as world from './world.mjs';

const { LociStorage } = await import(join(process.env.LOCI_TYPESCRIPT, 'strands-storage.js'));
const memory = await world.newMemory();
const folder = await mkdtemp(join(tmpdir(), 'strands-'));
process.on('exit', () => void rm(folder, { recursive: true, force: true }));

let made = 0;
/** A fresh storage of each kind, and another that sees the same. */
const KINDS = {
  InMemoryStorage: () => {
    const storage = new InMemoryStorage();
    return () => storage;
  },
  LocalFileStorage: () => {
    const place = join(folder, `${(made += 1)}`);
    return () => new LocalFileStorage(place);
  },
  LociStorage: () => {
    const namespace = `/files/storage-${(made += 1)}`;
    return () => new LociStorage({ url: world.URL_OF_LOCI, memory, namespace });
  },
};

const bytes = (text) => new TextEncoder().encode(text);
const text = (data) => data && new TextDecoder().decode(data);
// What a path of a document may not have (`: < > " | ? *`) is refused by name, where a disk and a map take
// it.
const ODD = [
  'a b.bin', 'a b.md', 'x+y%20&=?#.bin', 'x+y%20&=#.md', 'é/ü.bin', 'é/ü.md',
  '日本.md', '.hidden/a.md', "it's (one).md", 'deep/er/and/deeper.md',
];

const CONTRACT = {
  'bytes are read as they were written': async (open) => {
    const storage = open();
    for (const key of ['a/state.json', 'memory/n/topic.md']) {
      for (const content of ['', 'a', 'a\r\nb\r\n', '---\ntitle: x\n---\nbody\n', '  \n\n# T\n']) {
        await storage.write(key, bytes(content));
        assert.equal(text(await storage.read(key)), content, `${key} ${JSON.stringify(content)}`);
        assert.equal(text(await open().read(key)), content, 'another that sees the same');
      }
    }
    const all = Uint8Array.from({ length: 70_000 }, (_, at) => at % 256);
    await storage.write('all.bin', all);
    assert.deepEqual(new Uint8Array(await storage.read('all.bin')), all);
  },

  'what is not there is null, and may be deleted': async (open) => {
    const storage = open();
    for (const key of ['none', 'none.md', 'no/such/place.md']) {
      assert.equal(await storage.read(key), null, key);
      await storage.delete(key);
      await storage.write(key, bytes('x'));
      await storage.delete(key);
      await storage.delete(key);
      assert.equal(await storage.read(key), null, key);
    }
    assert.deepEqual(await storage.list(''), []);
  },

  'keys are listed by how they begin, in order': async (open) => {
    const storage = open();
    const keys = ['b.md', 'b.bin', 'b/c.md', 'b/d.bin', 'bc/d.md', 'a/z.json', 'a/y.md'];
    for (const key of keys) await storage.write(key, bytes(key));
    for (const prefix of ['', 'b', 'b/', 'b/c.md', '/b/', 'b//', 'zz', 'a/y.md/']) {
      const normal = prefix.replace(/\/+/g, '/').replace(/^\//, '');
      assert.deepEqual(await storage.list(prefix), keys.filter((key) => key.startsWith(normal)).sort(), prefix);
    }
  },

  'odd names are kept, and one place has one spelling': async (open) => {
    const storage = open();
    for (const key of ODD) await storage.write(key, bytes(key));
    for (const key of ODD) assert.equal(text(await storage.read(key)), key, key);
    assert.deepEqual(await storage.list(''), [...ODD].sort());
    await storage.write('//x///y//', bytes('1'));
    assert.equal(text(await storage.read('x/y')), '1');
  },

  'keys that leave the storage are refused': async (open) => {
    const storage = open();
    for (const key of ['', '/', '../x', 'a/../b', '..', 'a\\b', 'a/../b.md']) {
      for (const call of [() => storage.write(key, bytes('x')), () => storage.read(key), () => storage.delete(key)]) {
        await assert.rejects(call, Error, JSON.stringify(key));
      }
    }
    for (const prefix of ['../', 'a/../', 'a\\']) await assert.rejects(() => storage.list(prefix), Error, prefix);
  },

  'of writers at once one wins whole, and all keys are there': async (open) => {
    const many = Array.from({ length: 24 }, (_, number) => `at-once/${number}.${number % 2 ? 'md' : 'bin'}`);
    await Promise.all(many.map((key) => open().write(key, bytes(key))));
    assert.deepEqual(await open().list('at-once/'), [...many].sort());
    for (const key of ['one.md', 'one.bin']) {
      const contents = Array.from({ length: 12 }, (_, number) => `${number} `.repeat(500));
      await Promise.all(contents.map((content) => open().write(key, bytes(content))));
      assert.ok(contents.includes(text(await open().read(key))), key);
    }
  },

  'memory files are added, appended to and found': async (open) => {
    const store = new FileMemoryStore({ name: 'notes', storage: open() });
    await store.add('# Boats\n- The sloop Gull lies in Largs.');
    await store.add('# Boats\n- Her mast is spruce.');
    await store.add('# Tides\n- High water is at six.');
    assert.deepEqual(await open().list(''), ['memory/notes/boats.md', 'memory/notes/tides.md']);
    const expected = '# Boats\n- The sloop Gull lies in Largs.\n- Her mast is spruce.';
    assert.equal(text(await open().read('memory/notes/boats.md')).trim(), expected);
    const found = await new FileMemoryStore({ name: 'notes', storage: open() }).search('spruce mast');
    assert.equal(found[0].content, expected);
  },

  'sessions come back, and are gone when they are deleted': async (open) => {
    const agent = () => {
      const sessionManager = new SessionManager({ sessionId: 's1', storage: open() });
      return { one: world.agent('echo', { sessionManager, id: 'boatswain' }), sessionManager };
    };
    const first = agent();
    await first.one.invoke('My name is Marit.');
    const second = agent();
    await second.one.initialize();
    assert.deepEqual(second.one.messages.flatMap(world.texts), ['My name is Marit.', 'You said: My name is Marit.']);
    assert.ok((await open().list('')).length > 0);
    await second.sessionManager.deleteSession();
    assert.deepEqual(await open().list(''), []);
  },
};

/** What only ours has: Strands takes it as a strategy of search. */
async function foundByMeaning() {
  const storage = KINDS.LociStorage()();
  // The store's own view of the storage has no search: the strategy asks the storage itself, and gives keys
  // of the view.
  const search = {
    search: async (_, query) => {
      const found = await storage.search(query);
      return found.map(({ key, score }) => ({ key: key.replace('memory/notes/', ''), score }));
    },
  };
  const store = new FileMemoryStore({ name: 'notes', storage, search });
  await store.add('# Boats\n- The sloop Gull lies in Largs.');
  await store.add('# Bread\n- Rye needs a warm night.');
  await world.wait(memory);
  const [best] = await store.search('Where is the sailing vessel?');
  assert.ok(best.content.includes('Gull'), JSON.stringify(best));
  assert.deepEqual(await storage.search('  '), []);
}

const checks = {};
for (const [name, check] of Object.entries(CONTRACT)) {
  for (const [kind, fresh] of Object.entries(KINDS)) checks[`30 typescript: ${kind}: ${name}`] = () => check(fresh());
}
await world.run({ ...checks, '30 typescript: LociStorage finds by meaning, as a strategy of the file store': foundByMeaning });
