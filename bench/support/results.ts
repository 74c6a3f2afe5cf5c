/** The table in a results file. The prose around it is written by hand and stays. */
import { readFileSync, writeFileSync } from 'node:fs';

const BEGIN = '<!-- table -->';
const END = '<!-- end of table -->';

/** Replaces what stands between the two marks. */
export function writeResults(file: URL, text: string): void {
  const before = readFileSync(file, 'utf8');
  const head = before.slice(0, before.indexOf(BEGIN) + BEGIN.length);
  writeFileSync(file, `${head}\n\n${text}\n\n${before.slice(before.indexOf(END))}`);
}
