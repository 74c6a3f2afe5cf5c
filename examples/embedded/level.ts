/**
 * The code of docs/level.md. It works in the current folder. A test runs it and compares what it prints with the
 * comments.
 */
import { DaybookLevel } from '../../src/level.ts';

await using db = new DaybookLevel<string, { readonly n: number }>('settings', {
  engine: 'lsm',
  valueEncoding: 'json',
});

await db.put('a', { n: 1 });
await db.batch([
  { type: 'put', key: 'b', value: { n: 2 } },
  { type: 'del', key: 'a' },
]);
console.log(await db.get('b'), await db.has('a')); // { n: 2 } false

const users = db.sublevel<string, string>('users', { valueEncoding: 'utf8' });
await users.put('ann', 'Ann');
await using snapshot = db.snapshot();
await users.put('bob', 'Bob');
console.log(await users.keys().all()); // [ 'ann', 'bob' ]
console.log(await users.keys({ snapshot }).all()); // [ 'ann' ]
