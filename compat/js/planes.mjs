// The two clients under test, and what every test asserts about a call: one attempt, a request id, the
// status, and the name of an error. The endpoint comes from the environment, as a user would set it.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { BedrockAgentCoreClient } from '@aws-sdk/client-bedrock-agentcore';
import { BedrockAgentCoreControlClient } from '@aws-sdk/client-bedrock-agentcore-control';

export const dataPlane = new BedrockAgentCoreClient({});
export const controlPlane = new BedrockAgentCoreControlClient({});


/** Sends a command to its plane and asserts that it was answered at once. */
export async function send(plane, command, status = 200) {
  const answer = await plane.send(command);
  const metadata = answer.$metadata;
  assert.equal(metadata.httpStatusCode, status);
  assert.equal(metadata.attempts, 1, 'nothing was retried');
  assert.ok(metadata.requestId);
  return answer;
}

/** Asserts that a command is refused with this error, and not retried. */
export async function refused(plane, command, name, status) {
  const error = await plane.send(command).then(
    () => assert.fail(`${command.constructor.name} was not refused`),
    (error) => error,
  );
  assert.equal(error.name, name, error.stack);
  assert.equal(error.$metadata.httpStatusCode, status);
  assert.equal(error.$metadata.attempts, 1, 'a permanent failure is not retried');
  assert.ok(error.message && error.$metadata.requestId);
  return error;
}

export function isDate(value) {
  assert.ok(value instanceof Date && !Number.isNaN(value.getTime()), `${value} is no date`);
}

export function uniqueName(prefix) {
  return `${prefix}_${randomBytes(6).toString('hex')}`;
}

/** Waits until nothing is left to extract, through the native API. */
export async function waitExtraction(memoryId) {
  const response = await fetch(`${process.env.LOCI_URL}/v1/memories/${memoryId}/extraction:wait`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ timeout_ms: 50_000 }),
  });
  const answer = await response.json();
  assert.equal(answer.complete, true, JSON.stringify(answer));
  return answer;
}

/** Every page of a list, none of them empty. */
export async function pages(plane, Command, input, key) {
  const found = [];
  let nextToken;
  do {
    const answer = await send(plane, new Command({ ...input, nextToken }));
    nextToken = answer.nextToken;
    assert.ok(nextToken === undefined || answer[key].length > 0, 'an empty page has no token');
    found.push(answer[key]);
  } while (nextToken !== undefined);
  return found;
}

export { assert };
