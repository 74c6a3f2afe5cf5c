/** `daybook doctor`: what is configured, reachable and missing, and how to fix it. */
import { Command } from 'commander';
import { homeOf, loadConfig } from '../../config/load.ts';
import type { Config } from '../../config.ts';
import { serveCommandOf } from '../client.ts';
import { notes } from '../help.ts';
import { type AnswerOptions, answerOptions } from '../options.ts';
import { oneLine, print, printJson, type Style, styled, wrapped } from '../text.ts';
import { daemonFindings, portFinding } from './daemon.ts';
import type { Finding, FindingState } from './finding.ts';
import {
  databaseFindings,
  homeFinding,
  logKeyFindings,
  pluginFindings,
  settingsFinding,
  storageFinding,
  vaultFindings,
  workspaceFindings,
} from './home.ts';
import { machineFindings } from './machine.ts';
import { embeddingFinding, modelFindings } from './models.ts';

const HELP = `
Exit code 0 when everything that is needed works, 1 otherwise. Keys are never printed.
`;

export function command(): Command {
  const command = new Command('doctor')
    .description('Check what is configured, reachable and missing, and say how to fix it.')
    .action(doctor);
  return answerOptions(command, 'the findings as JSON').addHelpText('after', notes(HELP));
}

async function doctor(options: AnswerOptions): Promise<void> {
  const findings = await examine(options);
  const ok = findings.every(({ state }) => state !== 'broken');
  if (!ok) process.exitCode = 1;
  await (options.json === true ? printJson({ ok, findings }) : print(report(findings)));
}

async function examine(options: AnswerOptions): Promise<readonly Finding[]> {
  const home = homeOf(process.env, options);
  const config = configOf(home);
  const [machine, daemon] = await Promise.all([machineFindings(), daemonFindings(home)]);
  const models = [
    ...(await modelFindings(process.env, config, daemon)),
    ...(await embeddingFinding(process.env, config)),
  ];
  const ofHome = [
    homeFinding(home),
    settingsFinding(home, config),
    ...(await workspaceFindings(config)),
    ...(await pluginFindings(config)),
    ...(await vaultFindings(home)),
    ...(await databaseFindings(config)),
  ];
  if (daemon !== null) return [...machine, ...ofHome, ...daemon.findings, ...models];
  const off: Finding = { name: 'daemon', state: 'off', detail: 'not running', mend: serveCommandOf(home) };
  const port = config instanceof Error ? [] : [await portFinding(config)];
  const log = [await storageFinding(home, config), ...(await logKeyFindings(home, config))];
  return [...machine, ...ofHome, off, ...port, ...log, ...models];
}

function configOf(home: string): Config | Error {
  try {
    return loadConfig(process.env, { home }, process.cwd());
  } catch (error) {
    return error as Error;
  }
}

const SIGNS: Readonly<Record<FindingState, readonly [string, Style]>> = {
  ok: ['✓', 'green'],
  off: ['-', 'dim'],
  warning: ['!', 'yellow'],
  broken: ['✗', 'red'],
};
const GAP = '  ';

/**
 * The findings of `daybook doctor` as text. On a terminal, what a finding says is wrapped beside its name; elsewhere each
 * finding is one line. Nothing is cut.
 */
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
