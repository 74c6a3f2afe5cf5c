/**
 * LoCoMo as published (`locomo10.json`): samples with `conversation.session_N` lists of turns and a `qa` list whose
 * evidence names turns as `D<session>:<turn>`. Image turns have a caption, which is part of the message.
 */
import { type Conversation, dateOf, isRecord, type Question, type Session, sessionsOf } from './shape.ts';

const CATEGORIES = ['', 'multi-hop', 'temporal', 'open-domain', 'single-hop', 'adversarial'];

export function isLocomo(data: unknown): boolean {
  const first = Array.isArray(data) ? data[0] : data;
  return isRecord(first) && isRecord(first.conversation) && Array.isArray(first.qa);
}

export function readLocomo(data: unknown): readonly Conversation[] {
  const samples = (Array.isArray(data) ? data : [data]) as Record<string, unknown>[];
  return samples.map((sample, index) => {
    const sessions = sessionsIn(sample.conversation as Record<string, unknown>);
    const ids = new Set(sessions.flatMap(({ messages }) => messages.map(({ id }) => id)));
    const questions = (sample.qa as Record<string, unknown>[]).flatMap((qa) => questionOf(qa, { sessions, ids }));
    return { id: String(sample.sample_id ?? index + 1), sessions, questions };
  });
}

function sessionsIn(conversation: Record<string, unknown>): readonly Session[] {
  return Object.keys(conversation)
    .filter((key) => /^session_\d+$/.test(key) && Array.isArray(conversation[key]))
    .sort((a, b) => Number(a.slice(8)) - Number(b.slice(8)))
    .map((key) => ({
      id: key,
      at: dateOf(conversation[`${key}_date_time`]),
      messages: (conversation[key] as Record<string, unknown>[]).map((turn) => {
        const caption = turn.blip_caption;
        const shown = typeof caption === 'string' && caption !== '' ? ` [shares ${caption}]` : '';
        return { id: String(turn.dia_id), text: `${turn.speaker}: ${turn.text ?? ''}${shown}` };
      }),
    }));
}

/**
 * Some evidence is written loosely ("D8:6; D9:17", "D30:05"). Evidence that names no turn is ignored, as is a question
 * without any.
 */
function questionOf(
  qa: Record<string, unknown>,
  { sessions, ids }: { sessions: readonly Session[]; ids: ReadonlySet<string> },
): Question[] {
  const named = [qa.evidence ?? []].flat().flatMap((text) => String(text).match(/D\d+:\d+/g) ?? []);
  const messages = [...new Set(named.map((id) => id.replace(/:0+(?=\d)/, ':')))].filter((id) => ids.has(id));
  if (messages.length === 0) return [];
  const category = CATEGORIES[Number(qa.category)] ?? `category ${qa.category}`;
  return [{ text: String(qa.question), category, messages, sessions: sessionsOf(sessions, messages) }];
}
