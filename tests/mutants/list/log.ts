/** The event log on top of the engines. */
import { type Mutant, mutantsOf, without } from '../mutant.ts';

const LOG = 'storage/event-log.test.ts';
const CONTRACT = 'storage/event-log-engines.test.ts';
const SAFEGUARDS = 'mutants/log-safeguards.test.ts';

export const LOG_MUTANTS: readonly Mutant[] = [
  ...mutantsOf('log/append-batch.ts', [LOG, CONTRACT], {
    'the head is left out of the commit': without('    this.changes.push({ key: HEAD_KEY, value });\n'),
    'the id is left out of the commit': {
      find: '{ key: eventKey(position), value: record }, { key: idKey(id), value: index });',
      replace: '{ key: eventKey(position), value: record });',
    },
    'the stream index entry is left out of the commit': without('    this.changes.push(encodeIndexEntry(entry));\n'),
    'tiles are left out of the commit': without(
      '      this.changes.push({ key: tileKey(index), value: this.#partialTile.completedBy(this.#leaves) });\n',
    ),
    'tree nodes are left out of the commit': without(
      '    this.changes.push({ key: nodeKey(level / TILE_LEVELS, index), value: node });\n',
    ),
    'the expected version is not checked': {
      find: "if (wanted !== 'any' && wanted !== actual) {",
      replace: 'if (actual < 0) {',
    },
    'two streams of one append do not see each other': {
      find: 'grown?.get(stream) ?? this.#version(stream)',
      replace: 'this.#version(stream)',
    },
    'appends of one batch do not see each other': {
      find: 'return this.#versions.get(stream) ?? this.#state.versions.get(stream);',
      replace: 'return this.#state.versions.get(stream);',
    },
    'known ids are appended again': without(
      "    if (known !== undefined) return { kind: 'duplicate', events: known };\n",
    ),
    'ids of the same batch are not known': without('    if (pending !== undefined) return pending;\n'),
    'ids before the newest are not known': {
      find: '    if (id > this.#newestId) return undefined;\n',
      replace: '    if (id !== this.#newestId) return undefined;\n',
    },
    'an id twice in one append is taken': without('        if (seen !== null) checkOnce(seen, id);\n'),
    'an append of known and new ids is taken': {
      find: 'if (known === undefined || fresh === undefined) return known;',
      replace: 'if (known === undefined || fresh !== null) return known;',
    },
    'the newest id is forgotten': without('    if (id > this.#newestId) this.#newestId = id;\n'),
  }),
  ...mutantsOf('log/append-batch.ts', [SAFEGUARDS, 'storage/export-import.test.ts', 'storage/migrate.test.ts'], {
    'copied records need not continue the log': without('    this.#checkFollows(places);\n'),
  }),
  ...mutantsOf('log/copied-records.ts', [SAFEGUARDS, 'storage/export-import.test.ts', 'storage/migrate.test.ts'], {
    'copied records are not compared with their leaf hash': without(
      "    if (!isIntact(record)) throw valueInvalid('it does not match its leaf hash.');\n",
    ),
    'copied records need not be canonical': {
      find: '  if (fault === undefined) return event;\n',
      replace: '  return event;\n',
    },
  }),
  ...mutantsOf(
    'log/record.ts',
    [LOG, CONTRACT, SAFEGUARDS, 'storage/embedded-kv-damage.test.ts', 'storage/export-import.test.ts'],
    {
      'the leaf hash is not checked': {
        find: 'return Buffer.compare(sha256(record.subarray(HASH_BYTES)), leaf) === 0;',
        replace: 'return true;',
      },
      'the seal of an erased record is not checked': {
        find: 'return Buffer.compare(sealOf(leaf, record.subarray(ERASED_TEXT_AT)), sealIn(record)) === 0;',
        replace: 'return true;',
      },
      'an event at the wrong position is read': {
        find: 'if (event.position !== position) throw',
        replace: 'if (position < 0) throw',
      },
      'an unknown head format is read': {
        find: 'if (record[0] !== HEAD_VERSION) {',
        replace: 'if (record.length === 0) {',
      },
    },
  ),
  ...mutantsOf('log/event-log.ts', [LOG, CONTRACT], {
    'an append is not durable': {
      find: '{ durable: replica === null, writers, offThread: isBusy }',
      replace: '{ durable: false, ...writers }',
    },
    'an append is seen before it is durable': {
      find: '    await this.#engine.commit(changes, { durable: replica === null, writers, offThread: isBusy });\n    batch.apply();\n',
      replace:
        '    batch.apply();\n    await this.#engine.commit(changes, { durable: replica === null, writers, offThread: isBusy });\n',
    },
    'listeners are notified before the append is durable': {
      find: '    await this.#engine.commit(changes, { durable: replica === null, writers, offThread: isBusy });\n    batch.apply();\n',
      replace:
        '    this.#notify(batch.events);\n    await this.#engine.commit(changes, { durable: replica === null, writers, offThread: isBusy });\n    batch.apply();\n',
    },
    'a read-only engine is not noticed': {
      find: '    if (failure === null) return;\n',
      replace: '    if (failure !== undefined) return;\n',
    },
  }),
  ...mutantsOf(
    'log/append-queue.ts',
    [LOG, CONTRACT, 'storage/append-queue.test.ts', 'mutants/log-safeguards.test.ts'],
    {
      'a writer is answered before its append is durable': {
        find: '    const reason = await this.#commit(decided, isBusy);\n',
        replace: '    this.#answer(decided);\n    const reason = await this.#commit(decided, isBusy);\n',
      },
      'writers are not told that their commit failed': {
        find: '    else for (const { queued } of decided.tasks) queued.reject(reason);\n',
        replace: '    else for (const { queued, result } of decided.tasks) queued.resolve(result);\n',
      },
      'an error of the store reaches one writer only': {
        find: '      if (outcome.isRefused && !isRefusal(outcome.result)) fault = outcome.result;\n',
        replace: '',
      },
      'tasks of a batch that has to be decided again are lost': {
        find: '    else if (reason instanceof DecideAgain) this.#requeue(decided);\n',
        replace: '    else if (reason instanceof DecideAgain) return;\n',
      },
      'what came meanwhile is decided before a batch that is decided again': {
        find: 'this.#queued.unshift(',
        replace: 'this.#queued.push(',
      },
      'an erase shares its batch': {
        find: 'const isFull = task.isExclusive || ',
        replace: 'const isFull = ',
      },
    },
  ),
  ...mutantsOf('log/append-batch.ts', [LOG, CONTRACT, SAFEGUARDS], {
    'an erase leaves the payload': without(
      '      this.changes.push({ key: eventKey(tombstone.position), value: tombstone.record });\n',
    ),
    'only the first id of a batch is known': {
      find: 'this.#indexed < events.length; this.#indexed += 1',
      replace: 'this.#indexed < 1; this.#indexed += 1',
    },
    'leaves of earlier batches are left out of a tile': {
      find: 'this.#partialTile.completedBy(this.#leaves)',
      replace: 'Buffer.concat(this.#leaves)',
    },
  }),
  ...mutantsOf('log/erase.ts', [LOG, CONTRACT], {
    'damage is sealed by an erase': { find: 'if (!isIntact(record)) throw', replace: 'if (position < 0) throw' },
    'an erasure can be erased': { find: 'if (metadata.stream === ERASURES_STREAM) {', replace: 'if (position < 0) {' },
  }),
  ...mutantsOf('log/state.ts', [LOG], {
    'the highest stream is taken for new': { find: 'return stream > highest;', replace: 'return stream >= highest;' },
    'the highest stream of a category is not updated': {
      find: 'if (this.#isNew(stream)) this.#highest.set(categoryOf(stream), stream);\n    else this.#remember',
      replace: 'this.#remember',
    },
    'the highest stream of a category is not read at the start': {
      find: 'highest = this.#lastOf(category);',
      replace: "highest = '';",
    },
  }),
  ...mutantsOf('log/state.ts', [SAFEGUARDS, LOG, CONTRACT], {
    'an event after the head is not noticed': {
      find: 'if (reader.get(eventKey(frontier.size + 1)) !== undefined) {',
      replace: 'if (frontier.size < 0) {',
    },
    'a damaged last event is not noticed': {
      find: 'if (!isIntact(last)) throw',
      replace: 'if (frontier.size < 0) throw',
    },
    'records without a head are taken for an empty log': without(
      "for (const _ of reader.range({ limit: 1 })) throw damaged('it holds records but no head');",
    ),
    'a head that does not fit the last event is taken': {
      find: 'if (frontier.size % 2 === 1 && !equalHashes(frontier.roots.at(-1)!, leafOf(last))) {',
      replace: 'if (frontier.size < 0) {',
    },
  }),
  ...mutantsOf('log/reads.ts', [SAFEGUARDS, LOG, CONTRACT], {
    'a missing event shortens the answer': [
      { find: '    if (position !== expected) throw', replace: '    if (position < 0) throw' },
      { find: '  if (expected !== (reverse ? from - 1 : to + 1)) throw', replace: '  if (from < 0) throw' },
    ],
    'a missing last event shortens the answer': {
      find: '  if (expected !== (reverse ? from - 1 : to + 1)) throw',
      replace: '  if (from < 0) throw',
    },
    'an event of another stream is read': {
      find: 'if (event.stream !== stream.name) throw',
      replace: 'if (event.position < 0) throw',
    },
  }),
  ...mutantsOf('log/verify-events.ts', [SAFEGUARDS, LOG, CONTRACT], {
    'verify does not check leaf hashes': { find: '    if (!isIntact(record)) {', replace: '    if (position < 0) {' },
    'verify does not check versions': { find: '    if (version !== expected)\n', replace: '    if (version < 0)\n' },
    'verify does not check the ids': {
      find: 'if (place === undefined || place.length !== 8 || readNumber(place, 0) !== position) {',
      replace: 'if (position < 0) {',
    },
    'verify does not check tiles and nodes': {
      find: 'else if (!equalHashes(stored, expected))',
      replace: 'else if (stored.length < 0)',
    },
    'verify does not compare tombstones with their erasures': {
      find: '    if (other !== seal) this.#note(',
      replace: '    if (other === null) this.#note(',
    },
  }),
  ...mutantsOf('log/verify.ts', [SAFEGUARDS, LOG, CONTRACT], {
    'verify does not check the head': {
      find: '  if (frontier.size !== total) note(',
      replace: '  if (frontier.size < 0) note(',
    },
    'verify does not check the tree hash': {
      find: '  if (!equalHashes(frontierHash(frontier), frontierHash(head.frontier)))\n',
      replace: '  if (total < 0)\n',
    },
    'verify does not check the indexes': without('  yield* checkIndexes(reader, events, note);\n'),
  }),
  ...mutantsOf('log/verify-indexes.ts', [LOG, CONTRACT], {
    'verify does not check the stream index': without('  yield* checkStreamIndex(reader, events, note);\n'),
    'verify does not count the indexes': { find: 'if (found !== count) note(', replace: 'if (found < 0) note(' },
  }),
  ...mutantsOf('merkle.ts', ['storage/merkle.test.ts'], {
    'a leaf is hashed as an inner node': {
      find: '  prefixed.set(leaf, 1);\n',
      replace: '  prefixed.set(leaf, 1);\n  prefixed[0] = 1;\n',
    },
    'an inclusion proof leads nowhere': {
      find: 'return last === 0 && equalHashes(computed, root);',
      replace: 'return last === 0;',
    },
    'a consistency proof need not lead to the older tree': {
      find: 'equalHashes(smaller, fromRoot) && equalHashes(larger, toRoot)',
      replace: 'equalHashes(larger, toRoot)',
    },
    'a consistency proof need not lead to the newer tree': {
      find: 'equalHashes(smaller, fromRoot) && equalHashes(larger, toRoot)',
      replace: 'equalHashes(smaller, fromRoot)',
    },
  }),
];
