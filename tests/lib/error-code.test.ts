/** The codes of errors, as Node has them for real errors of the system. */
import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { expect, it } from 'vitest';
import { errorCode } from '../../src/lib/error-code.ts';

it('is that of the system, also for a quota, which Node does not name', () => {
  const missing = (): unknown => readFileSync('/nowhere');
  expect(missing).toThrow(expect.toSatisfy((error) => errorCode(error) === 'ENOENT'));
  const errno = -constants.errno.EDQUOT;
  const quota = Object.assign(new Error('write'), { errno, code: `Unknown system error ${errno}` });
  expect([quota, new Error('none'), 'EDQUOT', null].map(errorCode)).toEqual([
    'EDQUOT',
    undefined,
    undefined,
    undefined,
  ]);
});
