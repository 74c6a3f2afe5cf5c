/**
 * BEAM as published: a chat is a list of batches of turns of messages (in the 10M chats one such list per plan), its
 * probing questions a table by ability whose `source_chat_ids` name messages, flat or grouped. As a folder, `chat.json`
 * is next to `probing_questions/probing_questions.json`; as a data row, `chat` and `probing_questions` are fields.
 * Questions without sources (abstention) have no evidence to find and are skipped.
 */
import { type Conversation, dateOf, isRecord, type Message, type Question, type Session, sessionsOf } from './shape.ts';

export function isBeam(data: unknown): boolean {
  const first = Array.isArray(data) ? data[0] : data;
  return isRecord(first) && 'chat' in first && 'probing_questions' in first;
}

export function readBeam(data: unknown): readonly Conversation[] {
  const rows = (Array.isArray(data) ? data : [data]) as Record<string, unknown>[];
  return rows.map((row, index) => {
    const sessions = plansOf(row.chat).flatMap((plan, nth) => batchesOf(plan, nth));
    const ids = new Set(sessions.flatMap(({ messages }) => messages.map(({ id }) => id)));
    const table = row.probing_questions;
    const abilities = Object.entries(isRecord(table) ? table : (JSON.parse(String(table)) as Record<string, unknown>));
    const questions = abilities.flatMap(([category, list]) =>
      (list as Record<string, unknown>[]).flatMap((probe) => questionOf(probe, { category, sessions, ids })),
    );
    return { id: String(row.conversation_id ?? index + 1), sessions, questions };
  });
}

function questionOf(
  probe: Record<string, unknown>,
  { category, sessions, ids }: { category: string; sessions: readonly Session[]; ids: ReadonlySet<string> },
): Question[] {
  const messages = [...new Set(numbersIn(probe.source_chat_ids).map(String))].filter((id) => ids.has(id));
  if (messages.length === 0) return [];
  return [{ text: String(probe.question), category, messages, sessions: sessionsOf(sessions, messages) }];
}

function plansOf(chat: unknown): readonly unknown[] {
  const list = Array.isArray(chat) ? chat : [chat];
  const plans = list.filter((entry) => isRecord(entry) && Object.keys(entry).some((key) => /^plan/.test(key)));
  return plans.length > 0 ? plans.flatMap((plan) => Object.values(plan as object)) : [list];
}

/** A batch becomes a session: the conversation around one date. */
function batchesOf(plan: unknown, nth: number): readonly Session[] {
  return (plan as unknown[]).map((batch, index) => {
    const turns = isRecord(batch) ? batch.turns : batch;
    const messages = messagesIn(turns);
    const dated = isRecord(batch) && batch.time_anchor ? batch.time_anchor : anchorIn(turns);
    return { id: `${nth + 1}.${index + 1}`, at: dateOf(dated), messages };
  });
}

function messagesIn(value: unknown): readonly Message[] {
  if (Array.isArray(value)) return value.flatMap(messagesIn);
  if (!isRecord(value) || typeof value.content !== 'string') return [];
  // "->-> 1,1" is the generator's own numbering, not part of the message.
  const said = value.content.replace(/\s*->->\s*[\d,\s.]*$/, '');
  return [{ id: String(value.id), text: `${value.role ?? 'user'}: ${said}` }];
}

function anchorIn(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(anchorIn).find((anchor) => anchor !== undefined);
  return isRecord(value) && value.time_anchor ? value.time_anchor : undefined;
}

function numbersIn(value: unknown): number[] {
  if (typeof value === 'number') return [value];
  if (typeof value === 'string') return (value.match(/\d+/g) ?? []).map(Number);
  if (Array.isArray(value)) return value.flatMap(numbersIn);
  return isRecord(value) ? Object.values(value).flatMap(numbersIn) : [];
}
