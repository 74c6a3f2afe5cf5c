/** What is searched, at three sizes: messages, drawers of 800 characters, whole sessions. Each knows its evidence. */
import type { Conversation, Question, Session } from './shape.ts';

export const LEVELS = ['sessions', 'messages', 'drawers'] as const;
export type Level = (typeof LEVELS)[number];

export interface Unit {
  readonly text: string;
  readonly session: string;
  readonly at: number;
  /** Where in its session it begins. */
  readonly start: number;
  /** What finding it finds: ids of messages, or of the session. */
  readonly holds: readonly string[];
}

const DRAWER_CHARACTERS = 800;
const DRAWER_STEP_CHARACTERS = 700;

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

/** A message is found with a drawer that has at least half of it, or half of what a drawer can have. */
function drawersOf(session: Session, text: string): readonly Unit[] {
  const drawers: Unit[] = [];
  for (let from = 0; from === 0 || from + DRAWER_CHARACTERS - DRAWER_STEP_CHARACTERS < text.length; ) {
    const to = Math.min(text.length, from + DRAWER_CHARACTERS);
    const holds: string[] = [];
    let start = 0;
    for (const message of session.messages) {
      const end = start + message.text.length;
      const shared = Math.min(end, to) - Math.max(start, from);
      if (shared > 0 && shared >= Math.min(end - start, DRAWER_CHARACTERS) / 2) holds.push(message.id);
      start = end + 1;
    }
    drawers.push({ text: text.slice(from, to), session: session.id, at: session.at, start: from, holds });
    from += DRAWER_STEP_CHARACTERS;
  }
  return drawers;
}
