// The cases that the stores of all clients pass; see `clients/behaviour/README.md`. No server of
// Loci is needed.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';

import { Client, EventsNotStored } from '../dist/index.js';
import { LociMemoryStore, assertWritableTopology } from '../dist/strands.js';
import { recordedServer } from './recorded-server.mjs';

const CASES = JSON.parse(readFileSync(new URL('../../behaviour/memory-store.json', import.meta.url), 'utf8'));
const camel = (text) => text.replace(/_(\w)/g, (_, letter) => letter.toUpperCase());
const options = (given) => Object.fromEntries(Object.entries(given).map(([name, value]) => [camel(name), value]));

function provided({ metadata }) {
  const long = { '@256': 'x'.repeat(256), '@257': 'x'.repeat(257) };
  return Object.fromEntries(Object.entries(metadata).map(([key, value]) => [key, long[value] ?? value]));
}

function storeOf(config, client) {
  const given = options({ ...CASES.defaults, ...config });
  if (given.metadataProvider) given.metadataProvider = provided;
  return new LociMemoryStore({ client, warn: () => {}, ...given });
}

const nowhere = () => new Client({ url: 'http://127.0.0.1:9' });

function messagesOf({ messages }) {
  return messages.flatMap(({ role, text, metadata = {}, repeat = 1 }) =>
    Array.from({ length: repeat }, () => ({ role, content: [{ text }], metadata })),
  );
}

function answerOf(status) {
  if (status === 201) return { status, body: { event: { id: 'e' } } };
  return { status, body: { error: { code: 'X', message: 'no', retryable: status === 503 } } };
}

/** The call must be refused with these words. */
async function refuses(words, call) {
  await assert.rejects(call, (error) => {
    assert.match(error.message, /^LociMemoryStore: /);
    for (const word of words) assert.ok(error.message.includes(camel(word)), `${error.message}: ${word}`);
    return true;
  });
}

async function fails({ messages, events, of }, call) {
  await assert.rejects(call, (error) => {
    assert.ok(error instanceof EventsNotStored, String(error));
    const numbers = error.failures.flatMap(({ first, last }) =>
      Array.from({ length: last - first + 1 }, (_, at) => first + at),
    );
    assert.deepEqual(numbers, messages);
    assert.deepEqual([error.failures.length, error.failures.length + error.stored.length], [events, of]);
    assert.ok(error.message.startsWith(`${events} of ${of} event(s) not stored; first error: `), error.message);
    return true;
  });
}

function isAsked(asked, events) {
  assert.equal(asked.length, events.length);
  events.forEach((event, at) => {
    const { body, headers } = asked[at];
    const texts = body.payload.map((part) => part.message.text);
    assert.equal(texts.length, event.turns ?? event.texts.length);
    assert.deepEqual(texts, event.texts ?? texts);
    if (event.metadata) assert.deepEqual(body.metadata ?? {}, event.metadata);
    const [first, last] = event.range;
    assert.match(headers['idempotency-key'], new RegExp(`^notes-1-alice-.+-${first}-${last}$`));
  });
}

describe('the behaviour that all clients share', () => {
  for (const one of CASES.constructions) {
    it(`construction ${JSON.stringify(one)}`, async () => {
      const make = async () => storeOf(one.config, nowhere());
      if (one.refused) await refuses(one.refused, make);
      else assert.equal((await make()).name, one.name);
    });
  }

  for (const one of CASES.searches) {
    it(`search ${JSON.stringify(one)}`, () =>
      recordedServer([{ body: { hits: [] } }], async (url, asked) => {
        const store = storeOf(one.config, new Client({ url, retries: 0 }));
        const call = () => store.search('q', options(one.options ?? {}));
        if (one.refused) {
          await refuses(one.refused, call);
          assert.deepEqual(asked, []);
          return;
        }
        await call();
        for (const [member, value] of Object.entries(one.body)) assert.deepEqual(asked[0].body[member] ?? null, value);
      }));
  }

  for (const one of CASES.batches) {
    it(`batch ${JSON.stringify(one)}`, () => {
      const answers = [...(one.statuses ?? []), ...Array(10).fill(201)].map(answerOf);
      return recordedServer(answers, async (url, asked) => {
        const messages = messagesOf(one);
        const store = storeOf(one.config, new Client({ url, retries: 0 }));
        const call = () => store.addMessages(messages, { sequenceNumbers: [...messages.keys()] });
        if (one.refused) {
          await refuses(one.refused, call);
          assert.deepEqual(asked, []);
        } else if (one.failed) {
          await fails(one.failed, call);
          assert.equal(asked.length, one.failed.requests);
        } else {
          assert.equal((await call()).events.length, one.events.length);
          isAsked(asked, one.events);
        }
      });
    });
  }

  for (const one of CASES.topologies) {
    it(`topology ${JSON.stringify(one)}`, async () => {
      const client = nowhere();
      const stores = one.stores.map((config) => storeOf(config, client));
      const call = async () => assertWritableTopology(stores, { expectExtraction: one.expect_extraction ?? false });
      if (one.refused) await refuses(one.refused, call);
      else await call();
    });
  }
});
