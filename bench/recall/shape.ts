/** The common form of all data sets: conversations of dated sessions of messages, and questions with their evidence. */

export interface Message {
  readonly id: string;
  /** With the speaker as prefix, as it is stored. */
  readonly text: string;
}

export interface Session {
  readonly id: string;
  /** Unix milliseconds; 0 if the data set has no date. */
  readonly at: number;
  readonly messages: readonly Message[];
}

export interface Question {
  readonly text: string;
  readonly category: string;
  /** Ids of the messages that contain the evidence; empty if only its sessions are known. */
  readonly messages: readonly string[];
  readonly sessions: readonly string[];
}

export interface Conversation {
  readonly id: string;
  readonly sessions: readonly Session[];
  readonly questions: readonly Question[];
}

/** The sessions that contain these messages. */
export function sessionsOf(sessions: readonly Session[], messages: readonly string[]): string[] {
  const wanted = new Set(messages);
  return sessions.filter((session) => session.messages.some(({ id }) => wanted.has(id))).map(({ id }) => id);
}

/** Unix milliseconds of a date in any of the formats of the data sets; 0 if it cannot be parsed. */
export function dateOf(text: unknown): number {
  if (typeof text !== 'string') return 0;
  // LoCoMo: "1:56 pm on 8 May, 2023"; LongMemEval: "2023/05/20 (Sat) 02:21"; BEAM: "March-15-2024".
  const spoken = /^(\d{1,2}:\d{2})\s*([ap]m)?\s*on\s+(.+)$/i.exec(text);
  const plain = spoken === null ? text : `${spoken[3]} ${spoken[1]} ${spoken[2] ?? ''}`;
  const read = Date.parse(
    `${plain.replaceAll(/\([A-Za-z]+\)|,/g, ' ').replaceAll(/(?<=[a-z])-|-(?=\d{4}$)/gi, ' ')} UTC`,
  );
  return Number.isNaN(read) ? 0 : read;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
