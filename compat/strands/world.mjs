// What the TypeScript checks share: named checks, memories, the stock model whose service is the stub, and
// what went through the recorder. It checks nothing of its own. What clients leave is looked at through the
// native API, with `fetch`.

import { randomUUID } from 'node:crypto';
import { BedrockAgentCoreClient, ListEventsCommand } from '@aws-sdk/client-bedrock-agentcore';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { Agent, BedrockModel } from '@strands-agents/sdk';

export const URL_OF_LOCI = process.env.LOCI_URL;
export const FACTS = { kind: 'semantic', name: 'facts', namespace: '/facts/{actorId}/' };
export const SUMMARIES = { kind: 'summary', name: 'summaries', namespace: '/summaries/{actorId}/{sessionId}/' };

/** Runs functions in order, tells each, and ends the process as the worst of them. */
export async function run(checks) {
  let failed = 0;
  for (const [name, check] of Object.entries(checks)) {
    const began = Date.now();
    try {
      await check();
      console.log(`ok ${name} (${((Date.now() - began) / 1000).toFixed(1)} s)`);
    } catch (error) {
      failed += 1;
      console.log(`FAILED ${name}\n${error.stack}`);
    }
  }
  process.exit(failed === 0 ? 0 : 1);
}

/** Calls the native API. */
export async function call(method, path, body, url = URL_OF_LOCI) {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(url + path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
  return text === '' ? undefined : JSON.parse(text);
}

/** The id of a new memory. */
export async function newMemory(...strategies) {
  const name = `strands_${randomUUID().replaceAll('-', '').slice(0, 12)}`;
  return (await call('POST', '/v1/memories', { name, strategies })).id;
}

/** Waits until nothing is left to extract. */
export async function wait(memory) {
  const told = await call('POST', `/v1/memories/${memory}/extraction:wait`, { timeout_ms: 50_000 });
  if (!told.complete || told.failed) throw new Error(JSON.stringify(told));
}

/**
 * A stock model; the stub speaks HTTP/1.1, which the SDK for this service only speaks where it is told to.
 */
export function model(modelId) {
  return new BedrockModel({ modelId, region: 'us-west-2', clientConfig: { requestHandler: new NodeHttpHandler() } });
}

/** A stock agent. A model that is called `quiet…` repeats nothing. */
export function agent(modelId, more) {
  return new Agent({ model: model(modelId), printer: false, ...more });
}

/** A turn that makes the model call a tool. */
export function calling(name, input) {
  return `CALL ${name} ${JSON.stringify(input)}`;
}

/** Texts of a message's blocks. */
export function texts(message) {
  return message.content.filter((block) => 'text' in block).map((block) => block.text);
}

/** What tools answered, newest last. */
export function results(one) {
  const blocks = one.messages.flatMap((message) => message.content).filter((block) => block.type === 'toolResultBlock');
  return blocks.map(({ status, content }) => ({ status, text: content.map((part) => part.text ?? JSON.stringify(part.json)).join('') }));
}

/** What went through the recorder, of paths that end so. */
export async function recorded(tail = '') {
  const told = await (await fetch(`${process.env.RECORDER_URL}/recorded`)).json();
  return told.filter(({ path }) => path.endsWith(tail));
}

/** Begins to count anew. */
export async function forgetRecorded() {
  await fetch(`${process.env.RECORDER_URL}/recorded`, { method: 'DELETE' });
}

/** Events of a session, oldest first, of which there are at most a hundred. */
export async function events(memoryId, actorId, sessionId) {
  const data = new BedrockAgentCoreClient({ region: 'us-west-2', endpoint: URL_OF_LOCI });
  const answer = await data.send(new ListEventsCommand({ memoryId, actorId, sessionId, maxResults: 100 }));
  return answer.events.reverse();
}

/** What a payload says, by role. */
export function turns(payload) {
  return payload.map(({ conversational: { role, content } }) => [role, content.text]);
}
