/** Which field of a form a refusal of the daemon is about. */
import { expect, it } from 'vitest';
import { faultsOf } from '../../web/ui/field-faults.ts';

const NAMES = new Set(['title', 'tags', 'url']);

it.each([
  [
    'title must have at most 120 characters; it has 300.',
    { title: 'Must have at most 120 characters; it has 300.' },
    '',
  ],
  ['Invalid body: title: must not be blank', { title: 'Must not be blank.' }, ''],
  ['Invalid body: tags.0: must be a string', { tags: 'Must be a string.' }, ''],
  [
    'Invalid body: title: is missing; it must be a string; url: must be an http address',
    { title: 'Is missing; it must be a string.', url: 'Must be an http address.' },
    '',
  ],
  ['Invalid body: url: a; colour: must be red; url: b', { url: 'A.' }, 'Invalid body: colour: must be red; url: b'],
  ['Invalid body: must be an object', {}, 'Invalid body: must be an object'],
  ['Invalid query: title: must not be blank', {}, 'Invalid query: title: must not be blank'],
  ['A goal with this title exists already.', {}, 'A goal with this title exists already.'],
  ['colour must be red.', {}, 'colour must be red.'],
])('%s', (message, fields, rest) => {
  const faults = faultsOf(message, NAMES);
  expect([Object.fromEntries(faults.fields), faults.rest]).toEqual([fields, rest]);
});
