// The data plane with the AWS SDK for JavaScript: its sixteen memory operations.

import {
  BatchCreateMemoryRecordsCommand,
  BatchDeleteMemoryRecordsCommand,
  BatchUpdateMemoryRecordsCommand,
  CreateEventCommand,
  DeleteEventCommand,
  DeleteMemoryRecordCommand,
  GetEventCommand,
  GetMemoryRecordCommand,
  IngestDataCommand,
  ListActorsCommand,
  ListEventsCommand,
  ListMemoryExtractionJobsCommand,
  ListMemoryRecordsCommand,
  ListSessionsCommand,
  RetrieveMemoryRecordsCommand,
  StartMemoryExtractionJobCommand,
} from '@aws-sdk/client-bedrock-agentcore';
import { CreateMemoryCommand } from '@aws-sdk/client-bedrock-agentcore-control';
import { assert, controlPlane, dataPlane, isDate, pages, refused, send, uniqueName, waitExtraction } from './planes.mjs';

const call = (command, status) => send(dataPlane, command, status);
const fails = (command, name, status) => refused(dataPlane, command, name, status);
const NOW = new Date('2026-04-01T12:00:00.250Z');

async function newMemory(members = {}) {
  const input = { name: uniqueName('js'), eventExpiryDuration: 30, ...members };
  return (await send(controlPlane, new CreateMemoryCommand(input), 202)).memory;
}

const turn = (text, role = 'USER') => ({ conversational: { role, content: { text } } });
const record = (text, namespace = '/facts/ann/') => ({
  requestIdentifier: uniqueName('r'),
  namespaces: [namespace],
  content: { text },
  timestamp: NOW,
});

export const suite = {
  async 'events come back as they were sent'() {
    const memoryId = (await newMemory()).id;
    const where = { memoryId, actorId: 'org/user:1', sessionId: 's1' };
    const payload = [turn('hello'), { blob: { z: 1, a: [1, null, { b: 'x' }] } }, { json: { content: ['x', true] } }];
    const input = { ...where, eventTimestamp: NOW, payload, metadata: { kind: { stringValue: 'A' } } };
    const { event } = await call(new CreateEventCommand(input), 201);
    isDate(event.eventTimestamp);
    assert.equal(event.eventTimestamp.getTime(), NOW.getTime());
    assert.deepEqual(event.payload, payload);
    const got = (await call(new GetEventCommand({ ...where, eventId: event.eventId }))).event;
    assert.deepEqual(got.payload, payload);
    assert.deepEqual(got.branch, { name: 'main' });
    const bare = (await call(new ListEventsCommand({ ...where, includePayloads: false }))).events;
    assert.equal(bare.length, 1);
    assert.equal(bare[0].payload, undefined);
    assert.equal((await call(new DeleteEventCommand({ ...where, eventId: event.eventId }))).eventId, event.eventId);
    await fails(new GetEventCommand({ ...where, eventId: event.eventId }), 'ResourceNotFoundException', 404);
  },

  async 'pages beyond 100, filters and branches'() {
    const memoryId = (await newMemory()).id;
    const where = { memoryId, actorId: 'ann', sessionId: 's1' };
    let root;
    for (let i = 0; i < 130; i += 1) {
      const metadata = i % 2 ? { odd: { stringValue: 'yes' } } : undefined;
      const input = { ...where, eventTimestamp: new Date(NOW.getTime() + i), payload: [turn(`e${i}`)], metadata };
      const { event } = await call(new CreateEventCommand(input), 201);
      root ??= event.eventId;
    }
    const sizes = (found) => found.map((page) => page.length);
    const all = await pages(dataPlane, ListEventsCommand, { ...where, maxResults: 100 }, 'events');
    assert.deepEqual(sizes(all), [100, 30]);
    assert.equal(all[0][0].payload[0].conversational.content.text, 'e129', 'newest first');
    const filter = { eventMetadata: [{ left: { metadataKey: 'odd' }, operator: 'EXISTS' }] };
    const odd = await pages(dataPlane, ListEventsCommand, { ...where, filter, maxResults: 50 }, 'events');
    assert.deepEqual(sizes(odd), [50, 15]);
    const branch = { name: 'fork', rootEventId: root };
    const later = new Date(NOW.getTime() + 1000);
    await call(new CreateEventCommand({ ...where, eventTimestamp: later, payload: [turn('f')], branch }), 201);
    const chain = { ...where, filter: { branch: { name: 'fork', includeParentBranches: true } } };
    const texts = (await call(new ListEventsCommand(chain))).events.map((e) => e.payload[0].conversational.content.text);
    assert.deepEqual(texts, ['f', 'e0']);
    const badPage = await fails(new ListEventsCommand({ ...where, maxResults: 0 }), 'ValidationException', 400);
    assert.equal(badPage.reason, 'FieldValidationFailed');
    await fails(new ListEventsCommand({ ...where, nextToken: 'garbage' }), 'ValidationException', 400);
  },

  async 'actors and sessions'() {
    const memoryId = (await newMemory()).id;
    for (const [actorId, sessionId] of [['bob', 's1'], ['ann', 's1'], ['ann', 's2']]) {
      await call(new CreateEventCommand({ memoryId, actorId, sessionId, eventTimestamp: NOW, payload: [] }), 201);
    }
    const actors = (await call(new ListActorsCommand({ memoryId }))).actorSummaries;
    assert.deepEqual(actors.map((a) => a.actorId), ['ann', 'bob']);
    const sessions = (await call(new ListSessionsCommand({ memoryId, actorId: 'ann' }))).sessionSummaries;
    assert.deepEqual(sessions.map((s) => s.sessionId), ['s2', 's1']);
    sessions.forEach((s) => isDate(s.createdAt));
  },

  async 'records in batches, alone, listed and retrieved'() {
    const memoryId = (await newMemory({ indexedKeys: [{ key: 'team', type: 'STRING' }] })).id;
    const items = [
      { ...record('The release train leaves on Thursdays.'), metadata: { team: { stringValue: 'core' } } },
      record('Lunch is served at noon.'),
      { ...record('nowhere'), namespaces: [] },
    ];
    const batch = new BatchCreateMemoryRecordsCommand({ memoryId, records: items });
    const made = await call(batch, 201);
    assert.equal(made.successfulRecords.length, 2);
    assert.deepEqual(made.failedRecords.map((r) => [r.requestIdentifier, r.errorCode]), [[items[2].requestIdentifier, 400]]);
    const [first, second] = made.successfulRecords.map((r) => r.memoryRecordId);
    const { memoryRecord } = await call(new GetMemoryRecordCommand({ memoryId, memoryRecordId: first, namespace: '/facts/ann' }));
    isDate(memoryRecord.createdAt);
    assert.deepEqual(memoryRecord.metadata.team, { stringValue: 'core' });
    isDate(memoryRecord.metadata['x-amz-agentcore-memory-createdAt'].dateTimeValue);
    await waitExtraction(memoryId);
    const searchCriteria = { searchQuery: 'When does the release train leave?', topK: 5 };
    const retrieve = { memoryId, namespacePath: '/facts', searchCriteria };
    const found = (await call(new RetrieveMemoryRecordsCommand(retrieve))).memoryRecordSummaries;
    assert.equal(found[0].memoryRecordId, first);
    assert.ok(found[0].score >= 0.5 && found[0].score <= 1, `${found[0].score}`);
    isDate(found[0].createdAt);
    const metadataFilters = [
      { left: { metadataKey: 'team' }, operator: 'EQUALS_TO', right: { metadataValue: { stringValue: 'core' } } },
    ];
    const filtered = await call(new ListMemoryRecordsCommand({ memoryId, namespace: '/facts/ann', metadataFilters }));
    assert.deepEqual(filtered.memoryRecordSummaries.map((r) => r.memoryRecordId), [first]);
    const update = { memoryRecordId: second, timestamp: NOW, content: { text: 'Lunch is served at one.' } };
    const updated = await call(new BatchUpdateMemoryRecordsCommand({ memoryId, records: [update] }));
    assert.equal(updated.successfulRecords[0].status, 'SUCCEEDED');
    const denied = new GetMemoryRecordCommand({ memoryId, memoryRecordId: first, namespace: '/facts/bob/' });
    await fails(denied, 'AccessDeniedException', 403);
    await call(new DeleteMemoryRecordCommand({ memoryId, memoryRecordId: first }));
    const gone = [{ memoryRecordId: first }, { memoryRecordId: second }];
    const deleted = await call(new BatchDeleteMemoryRecordsCommand({ memoryId, records: gone }));
    assert.deepEqual(deleted.failedRecords.map((r) => r.errorCode), [404]);
    assert.deepEqual(deleted.successfulRecords.map((r) => r.memoryRecordId), [second]);
    await fails(new GetMemoryRecordCommand({ memoryId, memoryRecordId: first }), 'ResourceNotFoundException', 404);
    for (const bad of [{ topK: 0 }, { topK: 101 }, { topK: 2.5 }, { searchQuery: '' }]) {
      const criteria = { ...searchCriteria, ...bad };
      await fails(new RetrieveMemoryRecordsCommand({ ...retrieve, searchCriteria: criteria }), 'ValidationException', 400);
    }
  },

  async 'a batch token is replayed and its misuse named'() {
    const memoryId = (await newMemory()).id;
    const input = { memoryId, records: [record('once')], clientToken: uniqueName('token') };
    const first = await call(new BatchCreateMemoryRecordsCommand(input), 201);
    const again = await call(new BatchCreateMemoryRecordsCommand(input), 201);
    assert.deepEqual(again.successfulRecords, first.successfulRecords);
    const other = { ...input, records: [record('other')] };
    const error = await fails(new BatchCreateMemoryRecordsCommand(other), 'ValidationException', 400);
    assert.equal(error.reason, 'IdempotentParameterMismatchException');
  },

  async 'data is ingested and failed jobs are listed and restarted'() {
    const memory = await newMemory({
      namespaceKeys: [{ key: 'tenant' }],
      memoryStrategies: [{ semanticMemoryStrategy: { name: 'facts', namespaceTemplates: ['/{tenant}/{actorId}/'] } }],
    });
    const memoryId = memory.id;
    const input = { memoryId, actorId: 'ann', contentTimestamp: NOW, source: { inline: { payload: [turn('I restore radios.')] } } };
    const extractionConfig = { namespaceVariables: { tenant: 'acme' } };
    const { sessionId } = await call(new IngestDataCommand({ ...input, extractionConfig }), 202);
    assert.ok(sessionId);
    const event = { memoryId, actorId: 'ann', sessionId: 'bad', eventTimestamp: NOW, payload: [turn('I drive a tram.')] };
    await call(new CreateEventCommand(event), 201);
    assert.equal((await waitExtraction(memoryId)).failed, 1);
    const listed = await call(new ListMemoryRecordsCommand({ memoryId, namespacePath: '/acme' }));
    assert.ok(listed.memoryRecordSummaries.some((r) => r.content.text.includes('radios')));
    const { jobs } = await call(new ListMemoryExtractionJobsCommand({ memoryId, filter: { status: 'FAILED' } }));
    assert.deepEqual(jobs.map((j) => [j.sessionId, j.status]), [['bad', 'FAILED']]);
    assert.ok(jobs[0].failureReason.includes('tenant'));
    const extractionJob = { jobId: jobs[0].jobID };
    const started = await call(new StartMemoryExtractionJobCommand({ memoryId, extractionJob }));
    assert.equal(started.jobId, jobs[0].jobID);
    const unknown = new StartMemoryExtractionJobCommand({ memoryId, extractionJob: { jobId: 'unknown' } });
    await fails(unknown, 'ResourceNotFoundException', 404);
    const events = (await call(new ListEventsCommand({ memoryId, actorId: 'ann', sessionId }))).events;
    assert.deepEqual(events, [], 'ingested data is no event');
  },
};
