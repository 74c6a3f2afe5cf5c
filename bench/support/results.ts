/** Writes the table into a results file. The text around it is written by hand and kept. */
import { readFileSync, writeFileSync } from 'node:fs';

const BEGIN = '<!-- table -->';
const END = '<!-- end of table -->';

/** Replaces the text between the two marks. */
export function writeResults(file: URL, text: string): void {
  const before = readFileSync(file, 'utf8');
  const head = before.slice(0, before.indexOf(BEGIN) + BEGIN.length);
  writeFileSync(file, `${head}\n\n${text}\n\n${before.slice(before.indexOf(END))}`);
}
