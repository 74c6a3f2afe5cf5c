/** Answers with secrets that wait in memory for a repeat of their requests: how many, and how long. */
import { expect, it } from 'vitest';
import type { KeyedRequest } from '../../src/http/server/recorded-answer.ts';
import { value } from '../../src/http/server/route.ts';
import { SECRET_CHARACTERS_MAX, SecretAnswers } from '../../src/http/server/secret-answers.ts';

const asked: KeyedRequest = {
  ...{
    method: 'POST',
    url: '/memory/query',
    key: 'k',
    body: { query: 'x' },
    origin: { actor: 'owner', correlation: 'c' },
  },
  route: { secretAnswer: 'until_erasure' },
};

it('are the newest ones of a bounded size', () => {
  const answers = new SecretAnswers();
  const half = 'x'.repeat(SECRET_CHARACTERS_MAX / 2 - 100);
  for (const id of ['a', 'b', 'c']) answers.keep(id, asked, { answer: value(id + half) });
  expect(answers.find('a', asked)).toBeNull();
  expect(answers.find('b', asked)).toEqual(value(`b${half}`));
  answers.keep('whole', asked, { answer: value(half + half + half) });
  expect(answers.find('c', asked)).toBeNull();
  expect(answers.find('whole', asked)).toBeNull();
});

it('are the newest thousand', () => {
  const answers = new SecretAnswers();
  for (let id = 0; id <= 1_000; id += 1) answers.keep(String(id), asked, { answer: value(id) });
  expect(answers.find('0', asked)).toBeNull();
  expect(answers.find('1', asked)).toEqual(value(1));
});

it('leave their room to others when a text of the log is erased', () => {
  const answers = new SecretAnswers();
  const most = 'x'.repeat(SECRET_CHARACTERS_MAX - 100);
  answers.keep('a', asked, { answer: value(most) });
  answers.noteErasure();
  expect(answers.find('a', asked)).toBeNull();
  for (const id of ['b', 'c']) answers.keep(id, asked, { answer: value(id) });
  answers.keep('d', { ...asked, route: { secretAnswer: true } }, { answer: value('secret') });
  answers.noteErasure();
  expect(answers.find('d', asked)).toEqual(value('secret'));
});
