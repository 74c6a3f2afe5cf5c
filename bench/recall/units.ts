/**
 * The searched units at three sizes: messages, drawers of 800 characters, whole sessions, each with its evidence ids.
 */
import { CHUNK_CHARACTERS, chunksOf } from '../../src/commands/memory/chunk.ts';
import type { Conversation, Question, Session } from './shape.ts';

export const LEVELS = ['sessions', 'messages', 'drawers'] as const;
export type Level = (typeof LEVELS)[number];

export interface Unit {
  readonly text: string;
  readonly session: string;
  readonly at: number;
  /** Where it begins in its session, in code points. */
  readonly start: number;
  /** The ids that finding this unit counts as found: of messages, or of the session. */
  readonly holds: readonly string[];
}

export function unitsOf(conversation: Conversation, level: Level): readonly Unit[] {
  return conversation.sessions.flatMap((session) => {
    const own = { session: session.id, at: session.at };
    if (level === 'messages') return session.messages.map(({ id, text }) => ({ ...own, text, start: 0, holds: [id] }));
    const text = session.messages.map((message) => message.text).join('\n');
    return level === 'sessions' ? [{ ...own, text, start: 0, holds: [session.id] }] : drawersOf(session, text);
  });
}

/** The ids that a perfect answer finds; empty if the data set has none. */
export function evidenceOf(question: Question, level: Level): readonly string[] {
  return level === 'sessions' ? question.sessions : question.messages;
}

/**
 * Cut as in the daemon. A drawer counts for a message if it contains at least half of it, or if the message fills half
 * of it.
 */
function drawersOf(session: Session, text: string): readonly Unit[] {
  let end = -1;
  const spans = session.messages.map((message) => {
    const begin = end + 1;
    end = begin + [...message.text].length;
    return { id: message.id, begin, end };
  });
  return [...chunksOf(text)].map(({ content, start }) => {
    const stop = start + [...content].length;
    const holds = spans.filter((span) => {
      const shared = Math.min(span.end, stop) - Math.max(span.begin, start);
      return shared > 0 && shared >= Math.min(span.end - span.begin, CHUNK_CHARACTERS) / 2;
    });
    return { text: content, session: session.id, at: session.at, start, holds: holds.map(({ id }) => id) };
  });
}
