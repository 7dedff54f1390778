// The client against recorded answers: what is sent, what becomes of answers, and what is tried again.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';

import * as loci from '../dist/index.js';
import { recordedServer } from './recorded-server.mjs';

const { Client } = loci;
const OK = { body: {} };
const TABLE = new URL('../../generate/operations.txt', import.meta.url);

function problem(code, status, more = {}) {
  return { status, body: { error: { code, message: `why ${code}`, retryable: false, ...more } } };
}

/** What was asked, and what came of it. */
async function asking(answers, call, config = {}) {
  const slept = [];
  let now = 0;
  const clock = {
    now: () => now,
    sleep: async (ms) => {
      slept.push(ms);
      now += ms;
    },
  };
  return recordedServer(answers, async (url, asked) => {
    const client = new Client({ url, clock, ...config });
    try {
      return { result: await call(client), asked, slept };
    } catch (error) {
      return { error, asked, slept };
    }
  });
}

async function sent(call, answer = OK, config = {}) {
  const { asked, error } = await asking([answer], call, { retries: 0, ...config });
  if (!asked.length) throw error;
  return asked[0];
}

describe('sending', () => {
  it('writes a query flat, without what is absent', async () => {
    const query = { actor: 'org/a&b', session: 's 1', without_payload: true, limit: 5, branch: null };
    const asked = await sent((client) => client.eventList('m-1', query));
    assert.equal(asked.method, 'GET');
    assert.equal(asked.path, '/v1/memories/m-1/events?actor=org%2Fa%26b&session=s+1&without_payload=true&limit=5');
    assert.equal(asked.headers['content-type'], undefined);
  });

  it('encodes segments', async () => {
    const asked = await sent((client) => client.eventGet('m', '00#ä/1', { actor: 'a', session: 's' }));
    assert.equal(asked.path, '/v1/memories/m/events/00%23%C3%A4%2F1?actor=a&session=s');
    assert.equal((await sent((client) => client.recordList('m'))).path, '/v1/memories/m/records:list');
  });

  it('sends JSON, and bytes as they are', async () => {
    const asked = await sent((client) => client.search({ memory: 'm', query: 'größe' }));
    assert.deepEqual([asked.method, asked.body], ['POST', { memory: 'm', query: 'größe' }]);
    assert.deepEqual((await sent((client) => client.extractionWait('m'))).body, {});
    const bytes = new Uint8Array([0, 255]);
    const put = await sent((client) => client.objectPut('m', 'a/b', bytes, { contentType: 'image/png' }));
    assert.deepEqual([new Uint8Array(put.body), put.headers['content-type']], [bytes, 'image/png']);
    const { result } = await asking([{ body: bytes }], (client) => client.objectGet('m', 'a/b'));
    assert.deepEqual(new Uint8Array(result), bytes);
  });

  it('says options in headers and in the query', async () => {
    const put = (options, query) => sent((client) => client.documentPut('m', 'a.md', { body: 'text' }, query, options));
    const changed = await put({ ifMatch: '"x"' }, { namespace: '/n' });
    assert.deepEqual([changed.headers['if-match'], changed.path], ['"x"', '/v1/memories/m/files/a.md?namespace=%2Fn']);
    const other = await put({ query: { later: '1' } });
    assert.equal(other.path, '/v1/memories/m/files/a.md?later=1');
    const made = await put({ ifAbsent: true, idempotencyKey: 'k-1' });
    assert.deepEqual([made.headers['if-none-match'], made.headers['idempotency-key']], ['*', 'k-1']);
  });

  it('says who asks', async () => {
    const asked = await sent((client) => client.toolCall('memory_get', {}), OK, { token: 't-1', memory: 'notes' });
    assert.deepEqual([asked.headers.authorization, asked.headers['x-loci-memory']], ['Bearer t-1', 'notes']);
    assert.throws(() => new Client({ url: 'http://127.0.0.1:9', token: 'a\nb' }), TypeError);
    assert.throws(() => new Client({ url: 'http://me:secret@127.0.0.1:9' }), TypeError);
  });

  it('refuses what would be another operation', async () => {
    const client = new Client({ url: 'http://127.0.0.1:9' });
    for (const value of ['', '..', '.', undefined]) {
      await assert.rejects(client.recordDelete('m', value), (error) => {
        assert.ok(error instanceof loci.InvalidArgument);
        return error.field === 'record';
      });
    }
  });

  it('gives nothing where nothing is answered', async () => {
    const pulled = await asking([{ status: 204, body: new Uint8Array() }], (client) => client.pulledNext());
    assert.deepEqual([pulled.result, pulled.error], [undefined, undefined]);
    const deleted = await asking([OK], (client) => client.memoryDelete('m'));
    assert.deepEqual([deleted.result, deleted.error], [undefined, undefined]);
  });

  it('has a method for every operation of the table', () => {
    const lines = readFileSync(TABLE, 'utf8').split('\n').filter((line) => line && !line.startsWith('#'));
    const names = lines.map((line) => line.split(' ')[0].replace(/_(\w)/g, (_, letter) => letter.toUpperCase()));
    assert.ok(names.length > 150);
    assert.deepEqual(names.filter((name) => typeof Client.prototype[name] !== 'function'), []);
  });
});

describe('failing', () => {
  const raised = async (answer, call = (client) => client.memoryGet('m'), config = {}) =>
    (await asking([answer], call, { retries: 0, ...config })).error;

  it('keeps what was said', async () => {
    const error = await raised(problem('INVALID', 400, { field: 'records[0].text', details: { violations: [1] } }));
    assert.ok(error instanceof loci.InvalidArgument && error instanceof loci.LociError);
    const { code, message, field, status, retryable, details, name } = error;
    assert.deepEqual([code, message, field, status, retryable], ['INVALID', 'why INVALID', 'records[0].text', 400, false]);
    assert.deepEqual([details, name], [{ violations: [1] }, 'InvalidArgument']);
  });

  it('has classes by code, and else by status', async () => {
    const table = [
      ['NOT_FOUND', 404, loci.NotFound],
      ['STALE_VERSION', 412, loci.Conflict],
      ['IDEMPOTENCY_KEY_REUSED', 422, loci.Conflict],
      ['TOO_LARGE', 413, loci.TooLarge],
      ['UPSTREAM', 502, loci.Unavailable],
      ['A_FINER_WORD', 409, loci.Conflict],
      ['A_FINER_WORD', 418, loci.LociError],
    ];
    for (const [code, status, kind] of table) {
      assert.equal((await raised(problem(code, status))).constructor, kind, `${code} ${status}`);
    }
  });

  it('takes nothing for an answer that is none', async () => {
    const page = new TextEncoder().encode('<html>');
    const answers = [{ body: page }, { body: page, headers: { 'content-type': 'text/markdown' } }, { body: page, status: 404 }];
    for (const answer of [...answers, { body: {}, status: 302, headers: { location: '/elsewhere' } }]) {
      assert.ok((await raised(answer)) instanceof loci.InvalidAnswer, JSON.stringify(answer));
    }
    const long = { body: new Uint8Array(101) };
    const error = await raised(long, (client) => client.objectGet('m', 'k'), { answerBytesMax: 100 });
    assert.ok(error instanceof loci.InvalidAnswer);
  });

  it('says that nobody answers, and why', async () => {
    const error = await raised({ hangsUp: true });
    assert.ok(error instanceof loci.Unreachable && error.retryable && error.cause);
    const never = () => new Promise((_, reject) => reject(new TypeError('fetch failed', { cause: new Error('no such host') })));
    const client = new Client({ url: 'http://nowhere.example', fetch: never, retries: 0 });
    await assert.rejects(client.memoryGet('m'), /no such host/);
  });

  it('ends when it is called off, without another try', async () => {
    const controller = new AbortController();
    controller.abort(new Error('enough'));
    const { error, asked } = await asking([OK], (client) => client.memoryGet('m', { signal: controller.signal }));
    assert.deepEqual([error.message, asked.length], ['enough', 0]);
  });

  it('ends in time', async () => {
    const error = await raised({ isSilent: true }, (client) => client.memoryGet('m'), { timeoutMs: 50 });
    assert.ok(error instanceof loci.Unreachable);
    assert.match(error.message, /no answer in time/);
  });
});

describe('trying again', () => {
  const busy = problem('UNAVAILABLE', 503, { retryable: true });
  const lost = { hangsUp: true };

  it('is for reads', async () => {
    const calls = [(c) => c.memoryGet('m'), (c) => c.search({ memory: 'm', query: 'q' }), (c) => c.recordList('m')];
    for (const call of calls) {
      const { asked, result } = await asking([busy, lost, { body: { id: 'm' } }], call);
      assert.deepEqual([asked.length, result], [3, { id: 'm' }]);
    }
    const { asked, error } = await asking([busy, busy, busy, busy], (client) => client.memoryGet('m'));
    assert.deepEqual([asked.length, error.constructor], [3, loci.Unavailable]);
  });

  it('is for creations, with one key through all tries', async () => {
    const made = { status: 201, body: { items: [], failed: 0 } };
    const { asked, result } = await asking([lost, made], (client) => client.recordsCreate('m', { records: [] }));
    const keys = asked.map((one) => one.headers['idempotency-key']);
    assert.deepEqual([keys.length, new Set(keys).size, result.failed], [2, 1, 0]);
    assert.ok(keys[0].length >= 32);
  });

  it('is not for what may not happen twice', async () => {
    const calls = [
      (c) => c.mirrorSync('m', 'x'),
      (c) => c.recordDelete('m', 'r'),
      (c) => c.pulledNext(),
      (c) => c.keyCreate({ name: 'n' }, { idempotencyKey: 'the server does not read it here' }),
    ];
    for (const call of calls) {
      assert.equal((await asking([lost, OK], call)).asked.length, 1);
      assert.equal((await asking([busy, OK], call)).asked.length, 1);
    }
  });

  it('waits as the server asks where it did not begin', async () => {
    const wait = { ...problem('THROTTLED', 429, { retryable: true }), headers: { 'retry-after': '3' } };
    const { asked, slept } = await asking([wait, OK], (client) => client.recordDelete('m', 'r'));
    assert.deepEqual([asked.length, slept], [2, [3000]]);
    const short = await asking([wait, OK], (client) => client.memoryGet('m', { timeoutMs: 2000 }));
    assert.equal(short.asked.length, 1);
  });

  it('ends at errors for good', async () => {
    const { asked, error } = await asking([problem('NOT_FOUND', 404), OK], (client) => client.memoryGet('m'));
    assert.deepEqual([asked.length, error.constructor], [1, loci.NotFound]);
  });
});
