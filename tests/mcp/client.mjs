// The official clients against `git txn mcp`: version 1 of the SDK, which shakes hands, and version 2
// in each of its ways to negotiate. Run inside a transaction by tests/mcp/run, which looks at what is
// on record afterwards. One line a check.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { LoggingMessageNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { Client as ClientV2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as StdioV2 } from '@modelcontextprotocol/client/stdio';

const observed = process.env.GIT_TXN_OBSERVED;
const server = { command: 'git-txn', args: ['mcp', '--into', observed] };
const info = { name: 'claude-code', version: '2' };
let failed = 0;

async function check(name, run) {
  try {
    await run();
    console.log(`ok - ${name}`);
  } catch (error) {
    failed += 1;
    console.log(`not ok - ${name}\n${error.stack}`);
  }
}

const clients = [
  ['v1', () => new ClientV1(info), () => new StdioV1(server), '2025-11-25'],
  ['v2 legacy', () => new ClientV2(info), () => new StdioV2(server), '2025-11-25'],
  ['v2 auto', () => new ClientV2(info, { versionNegotiation: { mode: 'auto' } }),
    () => new StdioV2(server), '2026-07-28'],
  ['v2 pinned', () => new ClientV2(info, { versionNegotiation: { mode: { pin: '2026-07-28' } } }),
    () => new StdioV2(server), '2026-07-28'],
];

for (const [name, makeClient, makeTransport, version] of clients) {
  const client = makeClient();
  const errors = [];
  client.onerror = (error) => errors.push(error);
  const call = async (tool, args, id) => {
    const answer = await client.callTool({ name: tool, arguments: args,
      _meta: id ? { 'claudecode/toolUseId': id } : undefined });
    return { failed: answer.isError === true, texts: answer.content.map((block) => block.text) };
  };
  await check(`${name}: connects`, async () => {
    await client.connect(makeTransport());
    assert.equal(client.getServerVersion().name, 'git-txn');
    assert.match(client.getInstructions(), /transaction/);
    if (client.getNegotiatedProtocolVersion) {
      assert.equal(client.getNegotiatedProtocolVersion(), version);
    }
  });
  await check(`${name}: lists tools with their schemas`, async () => {
    const { tools } = await client.listTools();
    assert.deepEqual(tools.map((tool) => tool.name),
      ['read', 'search', 'list', 'status', 'before_write', 'declare_read']);
    for (const tool of tools) assert.equal(tool.inputSchema.type, 'object');
  });
  await check(`${name}: calls them`, async () => {
    assert.deepEqual(await call('read', { path: 'src/f1.txt', offset: 2 }, `toolu_${name}`),
      { failed: false, texts: ['line two of f1\n'] });
    assert.deepEqual((await call('search', { pattern: 'two of f[12]' })).texts,
      ['src/f1.txt:2:line two of f1\nsrc/f2.txt:2:line two of f2\n']);
    assert.deepEqual((await call('list', { path: 'docs' })).texts, ['guide.md\n']);
    assert.equal((await call('declare_read', { paths: ['README:1-1'], reason: name })).failed, false);
    assert.equal(JSON.parse((await call('status', {})).texts[0]).transaction.id, process.env.GIT_TXN_ID);
    assert.equal((await call('read', { path: '../../secret' })).failed, true);
  });
  await check(`${name}: many at once`, async () => {
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, i) => call('read', { path: `src/f${(i % 7) + 1}.txt` })));
    answers.forEach((answer, i) =>
      assert.equal(answer.texts[0].split('\n')[0], `line one of f${(i % 7) + 1}`));
  });
  await check(`${name}: refuses what is not there`, async () => {
    await assert.rejects(client.callTool({ name: 'rm', arguments: {} }), /no tool/);
  });
  await check(`${name}: had no error of the protocol`, async () => assert.deepEqual(errors, []));
  await client.close();
}

await check('v1: is told of a brief', async () => {
  const client = new ClientV1(info);
  const told = new Promise((resolve) =>
    client.setNotificationHandler(LoggingMessageNotificationSchema, resolve));
  await client.connect(new StdioV1(server));
  writeFileSync(`${observed}/brief.json`, JSON.stringify({ v: 1, number: 1, head: 'a'.repeat(40),
    branch: 'main', changes: [{ subject: 'src/f1.txt', changed_by: 'Pat', diff: '' }] }));
  const message = await told;
  assert.equal(message.params.level, 'warning');
  assert.match(message.params.data, /src\/f1\.txt/);
  const answer = await client.callTool({ name: 'list', arguments: {} });
  assert.match(answer.content.at(-1).text, /src\/f1\.txt/);
  await client.close();
});
writeFileSync('made', 'so that there is something to keep\n');
process.exit(failed === 0 ? 0 : 1);
