// The control plane with the AWS SDK for JavaScript: five memory operations and three of tags.

import {
  CreateMemoryCommand,
  DeleteMemoryCommand,
  GetMemoryCommand,
  ListMemoriesCommand,
  ListTagsForResourceCommand,
  TagResourceCommand,
  UntagResourceCommand,
  UpdateMemoryCommand,
  paginateListMemories,
} from '@aws-sdk/client-bedrock-agentcore-control';
import { assert, controlPlane, isDate, refused, send, uniqueName } from './planes.mjs';

const call = (command, status) => send(controlPlane, command, status);

export const suite = {
  async 'a memory is created, read, changed and deleted'() {
    const name = uniqueName('js');
    const strategies = [{ semanticMemoryStrategy: { name: 'facts', namespaceTemplates: ['/facts/{actorId}/'] } }];
    const input = { name, eventExpiryDuration: 30, memoryStrategies: strategies, clientToken: uniqueName('token') };
    const { memory } = await call(new CreateMemoryCommand(input), 202);
    assert.ok(memory.id.startsWith(`${name}-`));
    assert.equal(memory.status, 'ACTIVE');
    isDate(memory.createdAt);
    isDate(memory.strategies[0].updatedAt);
    assert.deepEqual(memory.strategies[0].namespaces, ['/facts/{actorId}/']);
    assert.equal((await call(new CreateMemoryCommand(input), 202)).memory.id, memory.id, 'the token is replayed');
    const update = { memoryId: memory.id, description: 'changed', addIndexedKeys: [{ key: 'team', type: 'STRING' }] };
    assert.equal((await call(new UpdateMemoryCommand(update), 202)).memory.description, 'changed');
    const got = (await call(new GetMemoryCommand({ memoryId: memory.id }))).memory;
    assert.deepEqual(got.indexedKeys, [{ key: 'team', type: 'STRING' }]);
    const deleted = await call(new DeleteMemoryCommand({ memoryId: memory.id }), 202);
    assert.deepEqual([deleted.memoryId, deleted.status], [memory.id, 'DELETING']);
    await refused(controlPlane, new GetMemoryCommand({ memoryId: memory.id }), 'ResourceNotFoundException', 404);
  },

  async 'memories are paginated newest first'() {
    const ids = [];
    for (let i = 0; i < 5; i += 1) {
      const input = { name: uniqueName('page'), eventExpiryDuration: 30 };
      ids.unshift((await call(new CreateMemoryCommand(input), 202)).memory.id);
    }
    const listed = [];
    for await (const page of paginateListMemories({ client: controlPlane, pageSize: 2 }, {})) {
      assert.ok(page.memories.length > 0);
      page.memories.forEach((memory) => isDate(memory.createdAt));
      listed.push(...page.memories.map((memory) => memory.id));
    }
    assert.deepEqual(listed.filter((id) => ids.includes(id)), ids);
    for (const memoryId of ids) await call(new DeleteMemoryCommand({ memoryId }), 202);
  },

  async 'errors have their names, reasons and fields'() {
    const name = uniqueName('twice');
    const { memory } = await call(new CreateMemoryCommand({ name, eventExpiryDuration: 30 }), 202);
    const again = new CreateMemoryCommand({ name, eventExpiryDuration: 30 });
    const duplicate = await refused(controlPlane, again, 'ValidationException', 400);
    assert.equal(duplicate.reason, 'ResourceConflict');
    assert.ok(duplicate.message.includes(`Memory with name ${name} already exists`));
    // This SDK checks nothing itself: all of these reach the server.
    for (const members of [
      { name: 'no spaces' },
      { name: '' },
      { eventExpiryDuration: 0 },
      { eventExpiryDuration: 'week' },
      { memoryStrategies: [{}] },
      { indexedKeys: [] },
    ]) {
      const input = { name: uniqueName('bad'), eventExpiryDuration: 30, ...members };
      const error = await refused(controlPlane, new CreateMemoryCommand(input), 'ValidationException', 400);
      assert.ok(['FieldValidationFailed', 'CannotParse'].includes(error.reason), error.reason);
    }
    for (const maxResults of [0, 101]) {
      await refused(controlPlane, new ListMemoriesCommand({ maxResults }), 'ValidationException', 400);
    }
    await call(new DeleteMemoryCommand({ memoryId: memory.id }), 202);
  },

  async 'tags are set, read and removed'() {
    const input = { name: uniqueName('tags'), eventExpiryDuration: 30, tags: { team: 'search' } };
    const { memory } = await call(new CreateMemoryCommand(input), 202);
    const resourceArn = memory.arn;
    await call(new TagResourceCommand({ resourceArn, tags: { stage: 'a b' } }), 204);
    assert.deepEqual((await call(new ListTagsForResourceCommand({ resourceArn }))).tags, { team: 'search', stage: 'a b' });
    await call(new UntagResourceCommand({ resourceArn, tagKeys: ['team', 'absent'] }), 204);
    assert.deepEqual((await call(new ListTagsForResourceCommand({ resourceArn }))).tags, { stage: 'a b' });
    await call(new DeleteMemoryCommand({ memoryId: memory.id }), 202);
    await refused(controlPlane, new ListTagsForResourceCommand({ resourceArn }), 'ResourceNotFoundException', 404);
  },
};
