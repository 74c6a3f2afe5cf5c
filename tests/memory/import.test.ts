/** The formats of other memory systems, row by row. */
import { describe, expect, it } from 'vitest';
import { ImportError, openImport } from '../../src/commands/memory/import-formats.ts';

function readImport(text: string, format: string) {
  const { format: recognised, entries } = openImport(text, format);
  const read = [...entries];
  const faults = (of: 'skipped' | 'error') => read.flatMap((each) => (each.kind === of ? [each.fault] : []));
  return {
    format: recognised,
    entries: read.flatMap((each) => (each.kind === 'entry' ? [each.entry] : [])),
    skipped: faults('skipped'),
    errors: faults('error'),
  };
}

const read = (value: unknown, format = 'auto') => readImport(JSON.stringify(value), format);

it('a mark of the byte order before the JSON is no part of it', () => {
  expect(readImport('\uFEFF[{"fact":"a"}]', 'auto').entries).toMatchObject([{ content: 'a' }]);
});

it('a whole number of the metadata that a parser would round is kept', () => {
  const { entries } = readImport(
    '[{"memory":"a","metadata":{"message":1234567890123456789,"n":[-9007199254740993]}}]',
    'mem0',
  );
  expect(entries).toMatchObject([{ meta: { message: '1234567890123456789', n: '["-9007199254740993"]' } }]);
});

it.each(['constructor', '__proto__', 'toString', 'nothing known'])('the format %s is as good as auto', (format) => {
  expect(read([{ fact: 'a' }], format)).toMatchObject({ format: 'facts', entries: [{ content: 'a' }] });
  expect(read([], format).format).toBe('mem0');
});

describe('formats', () => {
  it.each([
    [
      'mem0',
      { memories: [{ memory: 'a', metadata: { tags: ['t'], k: 'v' } }] },
      { content: 'a', tags: ['t'], meta: { k: 'v' } },
    ],
    ['mem0', { results: [{ content: 'b' }] }, { content: 'b', tags: [] }],
    ['mem0', [{ text: 'c' }], { content: 'c' }],
    [
      'zep',
      [{ content: 'd', role: 'user' }],
      { content: 'd', tags: ['zep-import'], meta: { source: 'zep', role: 'user' } },
    ],
    ['zep', [{ text: 'e' }], { content: 'e', meta: { source: 'zep', role: 'unknown' } }],
    [
      'openmemory',
      [{ content: 'f', primary_sector: 'Episodic', salience: 0.2, meta: { a: 'b' } }],
      { sector: 'episodic', salience: 0.2, meta: { a: 'b' } },
    ],
    [
      'openmemory',
      [{ content: 'g', sector: 'unheard of', metadata: { n: 1 } }],
      { sector: 'semantic', salience: 0.7, meta: { n: '1' } },
    ],
    ['openmemory', [{ content: 'g', meta: null, metadata: { n: 1 }, tags: [] }], { content: 'g', meta: { n: '1' } }],
    // As seconds it was a day in the year 58 096, on which nothing had decayed yet.
    ['openmemory', [{ content: 'g', last_seen_at: 1_771_225_550_440 }], { last_seen_at: 1_771_225_550.44 }],
    ['openmemory', [{ content: 'g', created_at: 3e11 }], { created_at: 3e11 }],
    ['auto', [{ fact: 'h', confidence: 0.9, pinned: true }], { content: 'h', salience: 0.9, pinned: true }],
    ['auto', [{ fact: 'i' }], { content: 'i', salience: 0.7 }],
    ['whatever', [{ fact: 'j' }], { content: 'j' }],
  ])('%s reads %j', (format, value, expected) => {
    const { entries, errors } = read(value, format);
    expect(errors).toEqual([]);
    expect(entries).toHaveLength(1);
    expect(entries[0]).toMatchObject(expected);
  });

  it.each([
    [{ memories: [{ memory: 'a' }] }, 'mem0'],
    [[{ memory: 'a' }], 'mem0'],
    [[{ content: 'a', role: 'user' }], 'zep'],
    [[{ content: 'a', primary_sector: 'semantic' }], 'openmemory'],
    [[{ fact: 'a' }], 'facts'],
  ])('auto takes %j for %s', (value, format) => expect(read(value).format).toBe(format));

  it('skips what has no text or too little confidence, and names bad entries by their index', () => {
    const { entries, skipped, errors } = read([
      { fact: 'good' },
      { fact: ' \u200b ' },
      { fact: 'doubtful', confidence: 0.49 },
      { fact: 7 },
      'nothing',
      { fact: 'odd', tags: [1] },
      { fact: 'bold', confidence: 3 },
      null,
      { fact: 'good too', confidence: 0.5 },
    ]);
    expect(entries.map(({ index }) => index)).toEqual([0, 8]);
    expect(skipped.map(({ index }) => index)).toEqual([1, 2]);
    expect(errors.map(({ index }) => index)).toEqual([3, 4, 5, 6, 7]);
    expect(errors[0]!.error).toContain('fact');
    expect(errors[2]!.error).toContain('tags');
    expect(errors[3]!.error).toContain('confidence');
  });

  it.each(['1e999', '-1e999', '-0.1', '1.1', '"0.5"', 'null'])('has no share of a sector of %s', (share) => {
    const { entries, errors } = readImport(
      `[{"content":"a"},{"content":"b","secondary_sectors":[["semantic",${share}]]}]`,
      'native',
    );
    expect([entries.length, errors.map(({ index }) => index)]).toEqual([1, [1]]);
  });

  it.each([['no json'], ['7'], ['null'], ['"text"'], ['{}'], ['{"memories":{}}']])('%s is no import', (text) =>
    expect(() => readImport(text, 'auto')).toThrow(ImportError),
  );

  it('under auto reads each entry by its own fields, whatever the first one is', () => {
    const mixed = read([
      { fact: 'a' },
      { memory: 'b' },
      { content: 'c', primary_sector: 'emotional' },
      { content: 'd', role: 'user' },
      { content: 'e', tags: ['kept'] },
      { odd: 1 },
      7,
    ]);
    expect(mixed.entries.map(({ content }) => content)).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(mixed.entries[2]!.sector).toBe('emotional');
    expect(mixed.entries[3]!.tags).toEqual(['zep-import']);
    expect(mixed.entries[4]!.tags).toEqual(['kept']);
    expect([mixed.skipped, mixed.errors].map((faults) => faults.map(({ index }) => index))).toEqual([[5], [6]]);
    expect(read({ memories: [{ content: 'f', primary_sector: 'episodic' }] }).entries[0]!.sector).toBe('episodic');
  });

  it.each([['mem0'], ['auto']])('%s takes the first field that says something', (format) => {
    const { entries } = read(
      [
        { memory: '', content: 'a' },
        { memory: null, content: ' ', text: 'b' },
      ],
      format,
    );
    expect(entries.map(({ content }) => content)).toEqual(['a', 'b']);
  });

  it.each(['<b>hello</b>', '[1, \u202e]'])('what is no JSON is refused in words that hold nothing of it', (text) => {
    expect(() => readImport(text, 'auto')).toThrow(/^content is not JSON$/);
  });

  it.each(['zep', 'openmemory', 'native'])('wants a flat list of %s', (format) => {
    expect(() => read({ memories: [] }, format)).toThrow(
      `content must be a JSON array of entries for the format ${format}`,
    );
  });

  it('names both forms where an object may hold the list', () => {
    const message = 'content must be a JSON array of entries, or an object with a memories or results array';
    expect(() => read({}, 'mem0')).toThrow(message);
  });
});

describe('an entry of openmemory', () => {
  const whole = {
    content: 'a',
    tags: ['t'],
    meta: { text: 'b', list: [1, { deep: true }] },
    sector: 'reflective',
    secondary: [
      ['semantic', 0],
      ['emotional', 1],
    ],
    salience: 0,
    decay_lambda: 1_000,
    pinned: false,
    id: `a.b:c-${'d'.repeat(122)}`,
    created_at: 0,
    updated_at: 1,
    last_seen_at: 2,
    version: 1,
    user_id: 'u',
    project_id: 'p',
    session_id: 's',
  } as const;
  const { sector, secondary, ...others } = whole;

  it('keeps every field', () => {
    const item = { ...others, primary_sector: 'Reflective', secondary_sectors: secondary };
    const meta = { text: 'b', list: '[1,{"deep":true}]' };
    expect(read([item], ' Native ').entries).toEqual([{ index: 0, ...whole, meta }]);
    const bounds = { salience: 1, decay_lambda: 0, version: 1e9, created_at: 8.64e15, id: 'i', pinned: true };
    expect(read([{ ...item, ...bounds }]).entries).toMatchObject([{ ...bounds, created_at: 8.64e12 }]);
  });

  it('without a field has what an added memory would get, and a session of its own is none', () => {
    const { entries } = read(
      [{ content: 'a' }, { content: 'a', project_id: null, id: 'not a name', meta: { no: null } }],
      'native',
    );
    const absent = { tags: [], meta: {}, sector: 'semantic', salience: 0.7, session_id: null };
    expect(entries).toEqual([
      { index: 0, content: 'a', ...absent },
      { index: 1, content: 'a', ...absent, project_id: null },
    ]);
  });

  it.each([
    [{ content: 7 }, 'content must be a string'],
    [{ content: 'half \ud800' }, 'content has half of a character'],
    [{ tags: 'one' }, 'tags must be a list of strings'],
    [{ tags: ['half \ud800'] }, 'tags must be a list of strings'],
    [{ meta: 'text' }, 'meta must be an object'],
    [{ meta: [] }, 'meta must be an object'],
    [{ metadata: 7 }, 'metadata must be an object'],
    [{ meta: { '\ud800': 'a' } }, 'metadata has half of a character'],
    [{ meta: { a: '\ud800' } }, 'metadata has half of a character'],
    [{ secondary_sectors: 'semantic' }, 'secondary_sectors must be a list of [sector, confidence from 0 to 1]'],
    [{ secondary_sectors: ['semantic'] }, 'secondary_sectors must be a list of [sector, confidence from 0 to 1]'],
    [{ secondary_sectors: [['unknown', 1]] }, 'secondary_sectors must be a list of [sector, confidence from 0 to 1]'],
    [{ secondary_sectors: [[7, 1]] }, 'secondary_sectors must be a list of [sector, confidence from 0 to 1]'],
    [{ salience: '0.5' }, 'salience must be a number from 0 to 1'],
    [{ salience: -0.1 }, 'salience must be a number from 0 to 1'],
    [{ salience: 1.1 }, 'salience must be a number from 0 to 1'],
    [{ decay_lambda: -1 }, 'decay_lambda must be a number from 0 to 1000'],
    [{ decay_lambda: 1_001 }, 'decay_lambda must be a number from 0 to 1000'],
    [{ pinned: 'yes' }, 'pinned must be true or false'],
    [{ created_at: -1 }, 'created_at must be a number from 0 to 8640000000000000'],
    [{ updated_at: 8.65e15 }, 'updated_at must be a number from 0 to 8640000000000000'],
    [{ last_seen_at: 'today' }, 'last_seen_at must be a number from 0 to 8640000000000000'],
    [{ version: 0 }, 'version must be a number from 1 to 1000000000'],
    [{ version: 1.5 }, 'version must be a number from 1 to 1000000000'],
    [{ version: 2e9 }, 'version must be a number from 1 to 1000000000'],
    [{ id: 7 }, 'id must be a string'],
    [{ user_id: 7 }, 'user_id must be a string'],
    [{ project_id: 7 }, 'project_id must be a string'],
    [{ session_id: 7 }, 'session_id must be a string'],
  ])('with %j is named', (field, error) => {
    expect(read([{ content: 'a', ...field }], 'openmemory').errors).toEqual([{ index: 0, error }]);
  });
});

it('what is skipped says why', () => {
  const { skipped, errors } = read(
    [{ fact: 'doubtful', confidence: 0.49 }, { fact: '' }, [{ fact: 'listed' }]],
    'facts',
  );
  expect(skipped.map(({ error }) => error)).toEqual(['its confidence is below 0.5', 'it has no text']);
  expect(errors).toEqual([{ index: 2, error: 'it must be an object' }]);
});

it('tags among the metadata of mem0 are tags only, and its other fields stay', () => {
  const { entries } = read([{ memory: 'a', metadata: { tags: ['t'], user: 'u', none: null } }], 'mem0');
  expect(entries).toEqual([{ index: 0, content: 'a', tags: ['t'], meta: { user: 'u' } }]);
});

const DEEP = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;

function canBeWritten(json: string): boolean {
  try {
    return JSON.stringify(JSON.parse(json)) === json;
  } catch {
    return false;
  }
}

// Node 26 writes JSON of any depth.
it.skipIf(canBeWritten(DEEP))('metadata that nests deeper than JSON can be written is named', () => {
  const text = `[{"memory":"a","metadata":{"deep":${DEEP}}}]`;
  expect(readImport(text, 'mem0').errors).toEqual([{ index: 0, error: 'metadata is nested too deep' }]);
});
