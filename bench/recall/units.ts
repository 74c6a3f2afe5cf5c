/** What is searched, at three sizes: messages, drawers of 800 characters, whole sessions. Each knows its evidence. */
import { CHUNK_CHARACTERS, chunksOf } from '../../src/commands/memory/chunk.ts';
import type { Conversation, Question, Session } from './shape.ts';

export const LEVELS = ['sessions', 'messages', 'drawers'] as const;
export type Level = (typeof LEVELS)[number];

export interface Unit {
  readonly text: string;
  readonly session: string;
  readonly at: number;
  /** Where in its session it begins, in code points. */
  readonly start: number;
  /** What finding it finds: ids of messages, or of the session. */
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

/** The ids a perfect answer finds; empty when the data set does not say. */
export function evidenceOf(question: Question, level: Level): readonly string[] {
  return level === 'sessions' ? question.sessions : question.messages;
}

/** Cut as the daemon cuts. A message is found with a drawer that has at least half of it, or is half full of it. */
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
