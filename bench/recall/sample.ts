/**
 * A small made-up data set, so that the benchmark runs without any file: two friends talk over many weeks, and every
 * question knows which lines answer it. Seeded: the same set every time.
 *
 * It checks that the benchmark works. It does not measure quality: it has few lines, and its author knew the index.
 */
import { seeded } from '../memory/texts.ts';
import type { Conversation, Message, Question, Session } from './shape.ts';
import { sessionsOf } from './shape.ts';

const PAIRS = [
  ['Mara', 'Tobias'],
  ['Ines', 'Olek'],
  ['Priya', 'Sam'],
  ['Noor', 'Felix'],
] as const;
const SESSIONS = 12;
const SMALL_TALK_LINES = 14;
const FIRST_SESSION = Date.UTC(2024, 1, 3, 18);
const SESSION_GAP_MS = 6 * 24 * 3_600_000;

/** What one speaker says about themselves, in groups; a question needs all of its group. */
const LISTS: readonly { readonly asked: string; readonly lines: readonly string[] }[] = [
  {
    asked: 'Which activities does NAME do in the free time?',
    lines: [
      'I signed up for a pottery evening, my first bowl came out crooked.',
      'We went camping by the lake and I slept like a stone.',
      'I have been swimming before breakfast all week.',
      'My knees complain, but I cannot stop climbing.',
    ],
  },
  {
    asked: 'Which cities has NAME visited?',
    lines: [
      'Lisbon was all hills and custard tarts, I want to go back.',
      'The trams in Vienna run on time even in the snow.',
      'I got lost in Kyoto twice and did not mind at all.',
    ],
  },
  {
    asked: 'What pets live with NAME?',
    lines: ['Our old terrier sleeps on my feet now.', 'A grey kitten followed me home and stayed.'],
  },
  {
    asked: 'What instruments has NAME played?',
    lines: ['I dug out my violin after ten years.', 'There is a ukulele in the office and I keep stealing it.'],
  },
];

/** One line that answers one question. */
const SINGLES: readonly { readonly asked: string; readonly line: string; readonly category: string }[] = [
  {
    asked: "What is wrong with NAME's car?",
    line: 'The gearbox gave up on the motorway yesterday.',
    category: 'single-hop',
  },
  {
    asked: 'What did NAME bake for the fair?',
    line: 'I made a plum cake for the school fair.',
    category: 'single-hop',
  },
  { asked: 'What is NAME allergic to?', line: 'Hazelnuts again, my throat swelled right up.', category: 'single-hop' },
  {
    asked: 'When did NAME see the dentist?',
    line: 'I was at the dentist last Tuesday, no holes.',
    category: 'temporal',
  },
  { asked: 'When did NAME run the half marathon?', line: 'I ran the half marathon on Sunday!', category: 'temporal' },
];

/** A fact and its replacement: both are needed to answer what is true now and what was true before. */
const UPDATES: readonly { readonly asked: string; readonly before: string; readonly after: string }[] = [
  {
    asked: 'Where does NAME work now, and where before?',
    before: 'The bank keeps me late, my job there is all tables.',
    after: 'I quit! From Monday I work at the botanical garden.',
  },
  {
    asked: 'How much is the rent of the flat NAME lives in?',
    before: 'My rent is 740 and the flat is damp.',
    after: 'The new flat is dry, the rent is 810 though.',
  },
];

const SMALL_TALK =
  `Good to hear from you! | How was your week? | That sounds lovely. | I know what you mean. | Ha, typical. |
  Tell me more about it. | It has been raining here for days. | Same here, honestly. | I am glad it worked out. |
  Did you sleep well at least? | That must have been hard. | We should meet soon. | I saw that coming. | Give them my love. |
  What a story. | I would have done the same. | Let us talk again on the weekend. | My neighbour says hello. |
  The coffee machine broke again. | I read something similar. | You always find a way. | Take care of yourself.`
    .split('|')
    .map((line) => line.trim());

export function sampleSet(): readonly Conversation[] {
  return PAIRS.map(([one, other], index) => conversation(`sample-${index + 1}`, [one, other], seeded(index + 1)));
}

/** A line of a session, and the questions for which it is evidence. */
interface Planned {
  readonly session: number;
  readonly speaker: string;
  readonly line: string;
  readonly answers: readonly string[];
}

function conversation(id: string, names: readonly [string, string], chance: () => number): Conversation {
  const planned = names.flatMap((name) => planFor(name, chance));
  const evidence = new Map<string, string[]>();
  const sessions: Session[] = Array.from({ length: SESSIONS }, (_, index) => {
    const said = planned.filter(({ session }) => session === index);
    const messages: Message[] = [];
    const say = (speaker: string, line: string): string => {
      const message = { id: `${index + 1}:${messages.length + 1}`, text: `${speaker}: ${line}` };
      messages.push(message);
      return message.id;
    };
    for (let at = 0; at < SMALL_TALK_LINES; at += 1) {
      say(names[at % 2]!, SMALL_TALK[Math.floor(chance() * SMALL_TALK.length)]!);
      for (const { speaker, line, answers } of said.splice(0, Math.ceil(said.length / (SMALL_TALK_LINES - at)))) {
        const message = say(speaker, line);
        for (const asked of answers) evidence.set(asked, [...(evidence.get(asked) ?? []), message]);
      }
    }
    return { id: `session_${index + 1}`, at: FIRST_SESSION + index * SESSION_GAP_MS, messages };
  });
  return { id, sessions, questions: questionsFor(names, { sessions, evidence }) };
}

function planFor(speaker: string, chance: () => number): readonly Planned[] {
  const somewhere = (): number => Math.floor(chance() * SESSIONS);
  const half = SESSIONS / 2;
  return [
    ...LISTS.flatMap(({ asked, lines }) =>
      lines.map((line) => ({ session: somewhere(), speaker, line, answers: [asked.replace('NAME', speaker)] })),
    ),
    ...SINGLES.map(({ asked, line }) => ({
      session: somewhere(),
      speaker,
      line,
      answers: [asked.replace('NAME', speaker)],
    })),
    ...UPDATES.flatMap(({ asked, before, after }) => {
      const answers = [asked.replace('NAME', speaker)];
      const early = Math.floor(chance() * half);
      return [
        { session: early, speaker, line: before, answers },
        { session: early + half, speaker, line: after, answers },
      ];
    }),
  ];
}

function questionsFor(
  names: readonly string[],
  { sessions, evidence }: { sessions: readonly Session[]; evidence: ReadonlyMap<string, readonly string[]> },
): readonly Question[] {
  const categories = [
    ...LISTS.map(({ asked }) => ({ asked, category: 'multi-hop' })),
    ...SINGLES,
    ...UPDATES.map(({ asked }) => ({ asked, category: 'knowledge-update' })),
  ];
  return names.flatMap((name) =>
    categories.map(({ asked, category }) => {
      const text = asked.replace('NAME', name);
      const messages = evidence.get(text) ?? [];
      return { text, category, messages, sessions: sessionsOf(sessions, messages) };
    }),
  );
}
