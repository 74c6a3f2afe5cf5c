/**
 * Reads a data set from a file (JSON, or one JSON row per line) or, for BEAM, from a folder of chats; returns its
 * format, too.
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isBeam, readBeam } from './beam.ts';
import { isLocomo, readLocomo } from './locomo.ts';
import { isLongMemEval, readLongMemEval } from './longmemeval.ts';
import type { Conversation } from './shape.ts';

export interface DataSet {
  readonly format: 'LoCoMo' | 'LongMemEval' | 'BEAM';
  readonly conversations: readonly Conversation[];
}

export function loadDataSet(path: string): DataSet {
  if (statSync(path).isDirectory()) return { format: 'BEAM', conversations: readBeam(chatsUnder(path)) };
  const data = parse(readFileSync(path, 'utf8'));
  if (isLocomo(data)) return { format: 'LoCoMo', conversations: readLocomo(data) };
  if (isLongMemEval(data)) return { format: 'LongMemEval', conversations: readLongMemEval(data) };
  if (isBeam(data)) return { format: 'BEAM', conversations: readBeam(data) };
  if (existsSync(probesBeside(path))) return { format: 'BEAM', conversations: readBeam([chatAt(path)]) };
  throw new Error(`${path} is none of the formats LoCoMo, LongMemEval and BEAM`);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const lines = text.split('\n').filter((line) => line.trim() !== '');
    if (lines.length < 2) throw error;
    return lines.map((line) => JSON.parse(line) as unknown);
  }
}

function chatsUnder(folder: string): readonly unknown[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /(^|[/\\])chat\.json$/.test(name))
    .map((name) => join(folder, name))
    .filter((path) => existsSync(probesBeside(path)));
  const number = (path: string): number => Number(/(\d+)[/\\]chat\.json$/.exec(path)?.[1] ?? 0);
  return files.sort((a, b) => number(a) - number(b)).map(chatAt);
}

function chatAt(path: string): unknown {
  const read = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));
  return { conversation_id: dirname(path), chat: read(path), probing_questions: read(probesBeside(path)) };
}

function probesBeside(path: string): string {
  return join(dirname(path), 'probing_questions', 'probing_questions.json');
}
