/** Small samples of the published data sets, parsed into messages, sessions, dates and evidence. */
import { describe, expect, it } from 'vitest';
import { isBeam, readBeam } from '../../bench/recall/beam.ts';
import { isLocomo, readLocomo } from '../../bench/recall/locomo.ts';
import { isLongMemEval, readLongMemEval } from '../../bench/recall/longmemeval.ts';
import { dateOf } from '../../bench/recall/shape.ts';
import { unitsOf } from '../../bench/recall/units.ts';
import { chunksOf } from '../../src/commands/memory/chunk.ts';

const locomo = [
  {
    sample_id: 'conv-1',
    conversation: {
      speaker_a: 'Ada',
      speaker_b: 'Ben',
      session_1_date_time: '1:56 pm on 8 May, 2023',
      session_1: [
        { speaker: 'Ada', dia_id: 'D1:1', text: 'Hello' },
        { speaker: 'Ben', dia_id: 'D1:2', text: 'Look', img_url: ['x'], blip_caption: 'a red barn' },
      ],
      session_10_date_time: '9:00 am on 1 June, 2023',
      session_10: [{ speaker: 'Ada', dia_id: 'D10:1', text: 'Late' }],
      session_2: [{ speaker: 'Ada', dia_id: 'D2:1', text: 'Again' }],
    },
    qa: [
      { question: 'Which barn?', answer: 'red', evidence: ['D1:02'], category: 4 },
      { question: 'Both?', answer: 'x', evidence: ['D1:1; D10:1'], category: 1 },
      { question: 'Nothing?', evidence: ['D9:9'], category: 5, adversarial_answer: 'x' },
    ],
  },
];

const longmemeval = [
  {
    question_id: 'q1',
    question_type: 'multi-session',
    question: 'How many?',
    answer: 2,
    question_date: '2023/05/30 (Tue) 23:40',
    haystack_session_ids: ['s1', 's2'],
    haystack_dates: ['2023/05/20 (Sat) 02:21', '2023/05/22 (Mon) 10:00'],
    haystack_sessions: [
      [
        { role: 'user', content: 'One cat', has_answer: true },
        { role: 'assistant', content: 'Nice' },
      ],
      [{ role: 'user', content: 'Another cat', has_answer: true }],
    ],
    answer_session_ids: ['s1', 's2'],
  },
  { question_id: 'q2_abs', question: '?', haystack_sessions: [], haystack_session_ids: [], answer_session_ids: [] },
];

const batches = [
  {
    batch_number: 1,
    turns: [
      [
        { role: 'user', id: 0, time_anchor: 'March-15-2024', content: 'My plan ->-> 1,1' },
        { role: 'assistant', id: 1, content: 'Fine' },
      ],
    ],
  },
  { batch_number: 2, turns: [[{ role: 'user', id: 2, content: 'New plan' }]] },
];
const probing = {
  abstention: [{ question: 'What else?' }],
  knowledge_update: [{ question: 'Which plan?', source_chat_ids: { original_info: [0], updated_info: [2] } }],
  information_extraction: [{ question: 'Who?', source_chat_ids: [1] }],
};

describe('LoCoMo', () => {
  const [conversation] = readLocomo(locomo);

  it('is recognised, and nothing else is', () => {
    expect([locomo, longmemeval, [{ chat: [], probing_questions: {} }], {}, [], null].map(isLocomo)).toEqual([
      true,
      false,
      false,
      false,
      false,
      false,
    ]);
  });

  it('has its sessions in order of number, with speakers and captions', () => {
    expect(conversation!.sessions.map(({ id }) => id)).toEqual(['session_1', 'session_2', 'session_10']);
    expect(conversation!.sessions[0]!.at).toBe(Date.UTC(2023, 4, 8, 13, 56));
    expect(conversation!.sessions[0]!.messages[1]).toEqual({ id: 'D1:2', text: 'Ben: Look [shares a red barn]' });
  });

  it('has evidence however it is written, and no question without', () => {
    expect(conversation!.questions).toEqual([
      { text: 'Which barn?', category: 'single-hop', messages: ['D1:2'], sessions: ['session_1'] },
      { text: 'Both?', category: 'multi-hop', messages: ['D1:1', 'D10:1'], sessions: ['session_1', 'session_10'] },
    ]);
  });
});

it('LongMemEval has one conversation a question, without abstentions', () => {
  expect(isLongMemEval(longmemeval)).toBe(true);
  const conversations = readLongMemEval(longmemeval);
  expect(conversations).toHaveLength(1);
  expect(conversations[0]!.sessions[0]!.at).toBe(Date.UTC(2023, 4, 20, 2, 21));
  expect(conversations[0]!.questions).toEqual([
    { text: 'How many?', category: 'multi-session', messages: ['0:s1:0', '1:s2:0'], sessions: ['s1', 's2'] },
  ]);
});

describe('BEAM', () => {
  const expected = [
    { text: 'Which plan?', category: 'knowledge_update', messages: ['0', '2'], sessions: ['1.1', '1.2'] },
    { text: 'Who?', category: 'information_extraction', messages: ['1'], sessions: ['1.1'] },
  ];

  it('is read with probes as a table or as text', () => {
    for (const probing_questions of [probing, JSON.stringify(probing)]) {
      const row = { conversation_id: '7', chat: batches, probing_questions };
      expect(isBeam([row])).toBe(true);
      const [conversation] = readBeam([row]);
      expect(conversation!.questions).toEqual(expected);
      expect(conversation!.sessions[0]!.at).toBe(Date.UTC(2024, 2, 15));
      expect(conversation!.sessions[0]!.messages[0]!.text).toBe('user: My plan');
    }
  });

  it('is read as plans of batches, and as lists of messages', () => {
    const plans = [{ 'plan-1': batches.slice(0, 1) }, { 'plan-2': batches.slice(1) }];
    expect(readBeam([{ chat: plans, probing_questions: probing }])[0]!.sessions.map(({ id }) => id)).toEqual([
      '1.1',
      '2.1',
    ]);
    const flat = batches.map(({ turns }) => turns.flat());
    expect(
      readBeam([{ chat: flat, probing_questions: probing }])[0]!.sessions.map(({ messages }) => messages.length),
    ).toEqual([2, 1]);
  });
});

it.each([
  ['1:56 pm on 8 May, 2023', Date.UTC(2023, 4, 8, 13, 56)],
  ['12:09 am on 13 September, 2023', Date.UTC(2023, 8, 13, 0, 9)],
  ['2023/05/20 (Sat) 02:21', Date.UTC(2023, 4, 20, 2, 21)],
  ['March-15-2024', Date.UTC(2024, 2, 15)],
  ['some day', 0],
  [undefined, 0],
])('dates: %s', (text, expected) => {
  expect(dateOf(text)).toBe(expected);
});

describe('drawers', () => {
  it.each([
    ['a', 'b', 'c'],
    ['🐱', 'é', '🎪'],
  ])('of %s, %s and %s are 800 characters, 100 of them shared, and hold what they have half of', (a, b, c) => {
    const message = (id: string, length: number) => ({ id, text: id.repeat(length) });
    const session = { id: 's', at: 0, messages: [message(a, 700), message(b, 300), message(c, 1_198)] };
    const drawers = unitsOf({ id: 'x', sessions: [session], questions: [] }, 'drawers');
    expect(drawers.map(({ text }) => [...text].length)).toEqual([800, 800, 800]);
    expect(drawers.map(({ holds }) => holds)).toEqual([[a], [b, c], [c]]);
    expect([...drawers[0]!.text].slice(700)).toEqual([...drawers[1]!.text].slice(0, 100));
  });

  it('are those that the daemon makes of the same text', () => {
    const text = '🐱 naps 👩‍👩‍👧 '.repeat(400);
    const session = { id: 's', at: 0, messages: [{ id: 'm', text }] };
    const drawers = unitsOf({ id: 'x', sessions: [session], questions: [] }, 'drawers');
    expect(drawers.map((drawer) => drawer.text)).toEqual([...chunksOf(text)].map(({ content }) => content));
  });
});
