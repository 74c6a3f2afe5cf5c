/** Functions over the texts of callers and models take linear time: quadratic time would be minutes for these texts. */
import { expect, it } from 'vitest';
import { essence } from '../../src/commands/memory/lines.ts';
import { readReview } from '../../src/commands/webhook/findings.ts';
import { toModelError } from '../../src/integrations/models/failures.ts';
import { findProvider } from '../../src/integrations/models/providers.ts';
import { stepsOf } from '../../src/integrations/models/scripted-task.ts';
import { harmless } from '../../src/integrations/tools/text.ts';
import { withoutEscapeSequences } from '../../src/lib/escape-sequences.ts';
import { foldFileName } from '../../src/lib/sensitive-paths.ts';
import { sentencesOf } from '../../src/lib/sentences.ts';
import { words } from '../../src/projections/recall/words.ts';
import { artifactsOf, type RunEnd, recapText } from '../../src/queries/goal/recap.ts';
import { line } from '../../src/queries/markdown.ts';
import { spokenText } from '../../src/queries/voice/spoken-text.ts';

const CHARACTERS = 1_000_000;
const run = (text: string): string => text.repeat(CHARACTERS / text.length);
const MARKS = `${'\u0301'.repeat(CHARACTERS / 2)}${'\u0323'.repeat(CHARACTERS / 2)}`;

it.each([
  ['dots', `${run('.')}a`, CHARACTERS + 1],
  ['colons and a line break', `${run(':')}\n`, 0],
  ['combining marks', MARKS, CHARACTERS],
])('a file name of %s', (_name, text, characters) => expect(foldFileName(text)).toHaveLength(characters));

it.each([
  ['dots', run('.')],
  ['combining marks', MARKS],
])('the essence of %s', (_name, text) => expect(essence(`${text}a`).at(-1)).toBe('a'));

it('the words of combining marks', () => expect(words(`a${MARKS} b`).map(({ stem }) => stem)).toEqual(['a', 'b']));

it.each([
  ['empty lines after a fence', `\`\`\`json${run('\n')}x`],
  ['fences without an end', run('x```\n')],
])('a review of %s', (_name, text) => expect(readReview(text).findings).toEqual([]));

it.each(['\u001b[0;', '\u001b]8;;', '\u001b ', '\u009b0;', '\u0090', '\u0098', '\u009d0;'])(
  'escape sequences without an end: %j',
  (beginning) => expect(withoutEscapeSequences(`${run(beginning)}\n`) === `${run(beginning)}\n`).toBe(true),
);

it('carriage returns without a line break', () => expect(harmless(run('\r'))).toBe(run('\\x0d').repeat(4)));

it('the error of a provider that repeats itself', () => {
  const provider = findProvider('openai')!;
  const endpoint = { provider, url: provider.url, key: null, custom: false };
  const error = { statusCode: 400, responseBody: JSON.stringify({ error: { message: run('token count ') } }) };
  expect(toModelError(error, { endpoint, scrub: (text) => text })).toMatchObject({ kind: 'fatal', status: 400 });
});

it('sentences without an end', () => expect(sentencesOf(run('a '))).toHaveLength(2_500));

it('a heading of spaces', () => expect(line(`a${run(' ')}b`)).toHaveLength(CHARACTERS + 2));

it('speech of an address that is none', async () => expect(await spokenText(run('a.'))).toHaveLength(CHARACTERS));

it.each([
  ['empty lines', `a${run('\n')}b`, 2],
  ['an address with commas', `https://a.test/${run(',')}b`, 1],
])('a summary of %s', (_name, summary, bullets) => {
  const end: RunEnd = { session_id: 'r', task: 't', status: 'complete', files_modified: [], summary, remaining: [] };
  expect(recapText('t', [end]).bullets).toHaveLength(bullets);
  expect(artifactsOf([end])[0]?.kind).toBe('job');
});

it.each([
  ['a directive with spaces', `rehearse: bash a${run(' ')}b`, 1],
  ['a path of tildes', run('~'), 1],
  ['a file and spaces', `write a.txt${run(' ')}b`, 2],
  ['a long name of a file to make', `make ${run('a.')}`, 2],
  ['contents without a file', run('write "a to '), 1],
  ['a file with spaces', `write a.txt with${run(' ')}b`, 2],
])('a task of %s', (_name, task, count) => {
  const tools = new Set(['bash', 'read_file', 'write_file', 'list_directory']);
  expect(stepsOf(task, tools)).toHaveLength(count);
});
