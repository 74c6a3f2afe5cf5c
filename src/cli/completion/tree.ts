/** The commands of the program as plain data: what completion scripts and the man page are made from. */
import type { Argument, Command, Option } from 'commander';
import { APPROVALS, zReasoningTier } from '../../events/run/events.ts';
import { DISK_BACKENDS } from '../../storage/marker.ts';

/**
 * Kinds of ids that the daemon can list; `sessions` are runs. Deliverables and gates belong to the engagement in the first
 * argument.
 */
export const ID_KINDS = ['sessions', 'engagements', 'deliverables', 'gates', 'goals', 'approvals', 'rooms'] as const;
export type IdKind = (typeof ID_KINDS)[number];

/** Kind of a value on the command line. */
type Kind = 'text' | 'file' | 'folder' | IdKind;

export interface Value {
  /** As the help names it: `dir`. */
  readonly name: string;
  readonly kind: Kind;
  /** All possible values; empty when they are not known. */
  readonly choices: readonly string[];
}

export interface OptionNode {
  /** `--limit`. */
  readonly long: string;
  /** `-n`. */
  readonly short: string | undefined;
  readonly description: string;
  /** Absent for a switch. */
  readonly value: Value | undefined;
}

interface ArgumentNode extends Value {
  readonly description: string;
  readonly isRequired: boolean;
}

export interface CommandNode {
  /** The words that call it: `['daybook', 'jobs', 'show']`. */
  readonly path: readonly string[];
  readonly description: string;
  /** The description in a few words. */
  readonly summary: string;
  readonly options: readonly OptionNode[];
  readonly arguments: readonly ArgumentNode[];
  readonly commands: readonly CommandNode[];
}

/** Possible values that commander does not know, by option. */
const CHOICES: Readonly<Record<string, readonly string[]>> = {
  '--approval': APPROVALS,
  '--backend': DISK_BACKENDS,
  '--reasoning': zReasoningTier.options,
};

const KINDS: Readonly<Record<string, Kind>> = {
  dir: 'folder',
  file: 'file',
  path: 'file',
  session: 'sessions',
  engagement: 'engagements',
  deliverable: 'deliverables',
  gate: 'gates',
  goal: 'goals',
  approval: 'approvals',
  room: 'rooms',
};

const HELP_OPTION: OptionNode = { long: '--help', short: '-h', description: 'show the help', value: undefined };

export function treeOf(command: Command, path: readonly string[] = [command.name()]): CommandNode {
  return {
    path,
    description: command.description(),
    summary: command.summary() || command.description(),
    options: [...command.options.filter(({ hidden }) => !hidden).map(optionOf), HELP_OPTION],
    arguments: command.registeredArguments.map((argument) => argumentOf(argument, path)),
    commands: command.commands.map((child) => treeOf(child, [...path, child.name()])),
  };
}

/** The tree with `daybook help <command>`, which commander does not list. */
export function withHelp(root: CommandNode): CommandNode {
  const choices = root.commands.map(({ path }) => path.at(-1)!);
  const description = 'show the help of a command';
  const help: CommandNode = {
    path: [...root.path, 'help'],
    description,
    summary: description,
    options: [HELP_OPTION],
    arguments: [{ name: 'command', kind: 'text', choices, description: 'name of the command', isRequired: false }],
    commands: [],
  };
  return { ...root, commands: [...root.commands, help] };
}

function optionOf({ long, short, flags, description, argChoices }: Option): OptionNode {
  const name = /[<[]([^>\]]+)[>\]]/.exec(flags)?.[1];
  const choices = argChoices ?? CHOICES[long ?? ''] ?? [];
  const value = name === undefined ? undefined : { name, kind: KINDS[name] ?? 'text', choices };
  return { long: long ?? '', short, description, value };
}

function argumentOf(argument: Argument, path: readonly string[]): ArgumentNode {
  const name = argument.name();
  // The `<id>` of other commands is that of a connector.
  const kind = name === 'id' && path[1] === 'jobs' ? 'sessions' : (KINDS[name] ?? 'text');
  const { description, required, argChoices } = argument;
  return { name, kind, choices: argChoices ?? [], description, isRequired: required };
}

/** The node and all below it. */
export function allCommands(node: CommandNode): readonly CommandNode[] {
  return [node, ...node.commands.flatMap(allCommands)];
}

export function isIdKind(kind: Kind): kind is IdKind {
  return ID_KINDS.some((known) => known === kind);
}

/** `daybook jobs:--limit` for every option with a value. */
export function valueOptions(nodes: readonly CommandNode[]): readonly string[] {
  return nodes.flatMap(({ path, options }) =>
    options
      .filter(({ value }) => value !== undefined)
      .flatMap(({ long, short }) => (short === undefined ? [long] : [long, short]))
      .map((name) => `${path.join(' ')}:${name}`),
  );
}
