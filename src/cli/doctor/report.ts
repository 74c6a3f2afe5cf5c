/**
 * The findings of `daybook doctor` as text. On a terminal, what a finding says is wrapped beside its name; elsewhere each
 * finding is one line. Nothing is cut.
 */
import { oneLine, type Style, styled, wrapped } from '../text.ts';
import type { Finding, FindingState } from './finding.ts';

const SIGNS: Readonly<Record<FindingState, readonly [string, Style]>> = {
  ok: ['✓', 'green'],
  off: ['-', 'dim'],
  warning: ['!', 'yellow'],
  broken: ['✗', 'red'],
};
const GAP = '  ';

export function report(findings: readonly Finding[]): string {
  const nameColumns = Math.max(...findings.map(({ name }) => name.length));
  const lines = findings.map(({ name, state, detail, mend }) => {
    const [sign, style] = SIGNS[state];
    const head = `${sign}${GAP}${name.padEnd(nameColumns)}${GAP}`;
    const text = mend === undefined ? detail : `${detail} → ${mend}`;
    return `${styled(style, `${head}${body(text, head.length)}`)}\n`;
  });
  const broken = findings.filter(({ state }) => state === 'broken').map(({ name }) => name);
  const verdict = broken.length === 0 ? 'Everything that is needed works.' : `To be mended: ${broken.join(', ')}.`;
  return `${lines.join('')}\n${verdict}\n`;
}

function body(text: string, indent: number): string {
  return process.stdout.isTTY ? wrapped(text, indent).trim() : oneLine(text, Number.POSITIVE_INFINITY);
}
