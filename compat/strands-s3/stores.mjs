// The stock storage and memory store of Strands for JavaScript against the bucket that the environment names,
// and bodies as that SDK sends them. Fails with the first that does not hold.

import assert from 'node:assert/strict';
import { Readable } from 'node:stream';

import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { S3Storage } from '@strands-agents/sdk/storage';
import { FileMemoryStore } from '@strands-agents/sdk/vended-memory-stores/file-memory-store';

const WRITERS = 8;
const { ENDPOINT: endpoint, BUCKET: bucket, AWS_REGION: region } = process.env;
const client = () => new S3Client({ endpoint, region, forcePathStyle: true });
const storage = () => new S3Storage(bucket, { s3Client: client() });
const bytes = (text) => new TextEncoder().encode(text);
const text = (content) => new TextDecoder().decode(content);

async function bodiesOfEveryKind() {
  const s3 = client();
  const stream = Readable.from([Buffer.from('in '), Buffer.from('pieces')]);
  const bodies = [
    ['js/text', 'text', undefined, 'text'],
    ['js/bytes', bytes('bytes'), undefined, 'bytes'],
    ['js/stream', stream, 9, 'in pieces'],
  ];
  for (const [Key, Body, ContentLength, expected] of bodies) {
    await s3.send(new PutObjectCommand({ Bucket: bucket, Key, Body, ContentLength }));
    const found = await s3.send(new GetObjectCommand({ Bucket: bucket, Key }));
    assert.equal(await found.Body.transformToString(), expected, Key);
  }
}

async function storageKeepsBytes() {
  const store = storage();
  const key = 's1/scopes/agent/a/snapshots/snapshot_latest.json';
  const content = Uint8Array.from({ length: 70_000 }, (_, at) => at % 256);
  assert.equal(await store.read(key), null);
  await store.write(key, content);
  assert.deepEqual(await store.read(key), content);
  assert.deepEqual(await store.list('s1/'), [key]);
  await store.delete(key);
  await store.delete(key);
  assert.equal(await store.read(key), null);
}

async function writersLoseNothing() {
  const stores = Array.from({ length: WRITERS }, () => new FileMemoryStore({ name: 'js', storage: storage() }));
  await stores[0].add('# Topic\n- zero');
  await Promise.all(
    stores.map(async (store, number) => {
      for (let line = 0; line < 5; line += 1) await store.add(`# Topic\n- ${number} ${line}`);
    }),
  );
  const content = text(await storage().read('memory/js/topic.md'));
  const lines = content.trimEnd().split('\n').slice(1).sort();
  const expected = stores.flatMap((_, number) => [0, 1, 2, 3, 4].map((line) => `- ${number} ${line}`));
  assert.deepEqual(lines, [...expected, '- zero'].sort());
  assert.equal((await stores[0].search('zero')).length, 1);
}

for (const check of [bodiesOfEveryKind, storageKeepsBytes, writersLoseNothing]) {
  await check();
  console.log(`ok javascript: ${check.name}`);
}
