/**
 * LongMemEval as published (`longmemeval_s.json`, `_m`, `_oracle`, cleaned or not): a list of instances, each with one
 * question and its own haystack. `has_answer` marks evidence turns, `answer_session_ids` evidence sessions. Abstention
 * questions (`_abs`) have no evidence to find and are skipped, as in the published retrieval scores.
 */
import { type Conversation, dateOf, isRecord, type Session } from './shape.ts';

interface Turn {
  readonly role?: string;
  readonly content?: string;
  readonly has_answer?: boolean;
}

export function isLongMemEval(data: unknown): boolean {
  const first = Array.isArray(data) ? data[0] : data;
  return isRecord(first) && Array.isArray(first.haystack_sessions);
}

export function readLongMemEval(data: unknown): readonly Conversation[] {
  const instances = (Array.isArray(data) ? data : [data]) as Record<string, unknown>[];
  return instances.filter((instance) => !String(instance.question_id).endsWith('_abs')).map(conversationOf);
}

function conversationOf(instance: Record<string, unknown>): Conversation {
  const haystack = instance.haystack_sessions as readonly (readonly Turn[])[];
  const ids = (instance.haystack_session_ids as unknown[] | undefined) ?? [];
  const dates = (instance.haystack_dates as unknown[] | undefined) ?? [];
  const evidence: string[] = [];
  const sessions: Session[] = haystack.map((turns, index) => {
    // A session may occur twice in a haystack; its index makes the ids of its messages unique.
    const id = String(ids[index] ?? index);
    return {
      id,
      at: dateOf(dates[index]),
      messages: turns.map((turn, nth) => {
        const message = `${index}:${id}:${nth}`;
        if (turn.has_answer === true) evidence.push(message);
        return { id: message, text: `${turn.role ?? 'user'}: ${turn.content ?? ''}` };
      }),
    };
  });
  const named = ((instance.answer_session_ids as unknown[] | undefined) ?? []).map(String);
  const question = {
    text: String(instance.question),
    category: String(instance.question_type ?? 'question'),
    messages: evidence,
    sessions: [...new Set(named)].filter((id) => sessions.some((session) => session.id === id)),
  };
  return { id: String(instance.question_id), sessions, questions: [question] };
}
