/** Approvals in the terminal: the question, the keys that answer it, and when it is withdrawn. */
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { createApprovalPrompt, type Dependencies } from '../../src/cli/approval-prompt.ts';
import { RequestRefused } from '../../src/cli/client.ts';
import type { Approval } from '../../src/client/client.ts';
import { turns } from '../support/turns.ts';

const APPROVAL: Approval = {
  id: '',
  session_id: 'run',
  tool_name: 'bash',
  input: { command: 'rm -rf build\u001b[2K\u009b\u202e' },
  requested_at: 1,
  expires_at: Date.now() + 600_000,
  status: 'pending',
  decision: null,
  reason: null,
  decided_at: null,
};

function asked({
  status = 'pending' as Approval['status'],
  terminal = true,
  call = {} as Partial<Approval>,
  refusal = undefined as RequestRefused | undefined,
} = {}) {
  const said: string[] = [];
  const sent: unknown[] = [];
  const input = new PassThrough();
  const output = new PassThrough();
  let written = '';
  output.on('data', (bytes: Buffer) => {
    written += bytes.toString();
  });
  const approval = { ...APPROVAL, ...call, status };
  const client: Dependencies['client'] = {
    home: "/ada’s and Bob's",
    api: {
      approvals: {
        get: async (id) => ({ ...approval, id }),
        async answer(id, body) {
          sent.push({ id, ...body });
          if (refusal !== undefined) throw refusal;
          return { ...approval, id };
        },
      },
    },
  };
  const approvals = createApprovalPrompt({
    client,
    print: (text) => said.push(text),
    terminal: terminal ? { input, output } : null,
  });
  approvals.ask('apr-1');
  return { approvals, input, said, sent, written: () => written };
}

test.each([
  [['y'], 'allow_once'],
  [['YES'], 'allow_once'],
  [[' a '], 'allow_run'],
  [['n'], 'deny'],
  [['what?', '', 'no'], 'deny'],
])('%j is %s', async (lines, decision) => {
  const { input, sent, said, written } = asked();
  for (const [count, line] of lines.entries()) {
    await expect.poll(() => written().split('Run it?').length - 1).toBe(count + 1);
    input.write(`${line}\n`);
  }
  await expect.poll(() => sent).toEqual([{ id: 'apr-1', decision }]);
  // Of what a terminal does not show the person knew nothing.
  expect(said).toEqual(['bash (expires in 10 min)\n  command: rm -rf build\\u001b[2K\\u009b\\u202e']);
});

test.each([
  [{ path: 'a.js', old_string: 'a\nb', new_string: 'a\n\tc' }, ['path: a.js', '- a', '- b', '+ a', '+ \tc']],
  [{ path: 'a.md', content: '# A\n\ntext\n' }, ['path: a.md', 'content:', '  # A', '  ', '  text', '  ']],
  [{ timeout: 5, deep: { a: ['b\n\u001b'] } }, ['timeout: 5', 'deep: {"a":["b\\n\\u001b"]}']],
  [{}, []],
])('the input %j is shown by lines', async (input, lines) => {
  const { said } = asked({ call: { input } });
  await expect.poll(() => said[0]).toBe(['bash (expires in 10 min)', ...lines.map((line) => `  ${line}`)].join('\n'));
});

test('of a long input is said how much is not shown', async () => {
  const { said } = asked({ call: { input: { content: 'x'.repeat(5_000) } } });
  await expect.poll(() => said[0]).toMatch(/^bash .*\n {2}content: x{3989}…\n {2}1011 more characters$/);
});

test('the run’s next event takes the question back, and a late key answers nothing', async () => {
  const { approvals, input, sent, written } = asked();
  await expect.poll(written).toContain('Run it?');
  approvals.withdraw();
  await expect.poll(written).toMatch(/\n$/);
  input.write('y\n');
  await turns();
  expect(sent).toEqual([]);
});

test.each([
  ['without a terminal', { terminal: false }],
  ['when the input is closed', {}],
])('%s it says how to answer from elsewhere', async (_, options) => {
  const { input, said, sent } = asked(options);
  input.end();
  await expect
    .poll(() => said.at(-1))
    .toMatch(/^answer with: daybook approvals answer apr-1 allow-once --home '\/ada’s and Bob'\\''s' /);
  expect(sent).toEqual([]);
});

test('what is settled already is not asked about; who was too late is told so', async () => {
  const late = asked({ refusal: new RequestRefused(409, 'Approval apr-1 was allowed already.') });
  late.input.write('n\n');
  await expect.poll(() => late.said.at(-1)).toBe('Approval apr-1 was allowed already.');
  const settled = asked({ status: 'expired' });
  await turns();
  expect(settled.said).toEqual([]);
});
