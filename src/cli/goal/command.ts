/** `daybook goal`: goals that many runs work toward. Subcommands load when they run. */
import { Command, Option } from 'commander';
import { GOAL_LINK_KINDS, zGoalStatus } from '../../events/goal.ts';
import { atOption } from '../as-of.ts';
import { notes } from '../help.ts';
import { answerOptions, collect, modelOptions, subcommand, withoutSubcommand } from '../options.ts';

const HELP = `
A goal is named by its id, its title, or a unique beginning of one of them.
The exit codes of start are those of daybook run.

  daybook goal new "Ship the exporter" --criterion "1 GB in a minute"
  daybook goal new "Measure it" --parent "Ship the exporter"
  daybook goal plan ship
  daybook goal start ship
  daybook goal tree
  daybook goal recap ship
`;

export function command(): Command {
  const goal = new Command('goal')
    .description('Goals over many runs: create and plan them, start runs for them, review the results.')
    .allowExcessArguments()
    .action(withoutSubcommand(async (options: object) => (await import('./show.ts')).list(options)));
  addChanges(goal);
  addLinks(goal);
  addViews(goal);
  addPins(goal);
  addModels(goal);
  return answerOptions(goal).addHelpText('after', notes(HELP));
}

function addChanges(goal: Command): void {
  subcommand(goal, 'new', 'create a goal')
    .argument('<title>', 'title')
    .option('--statement <text>', 'full description')
    .option('--criterion <text>', 'success criterion; may be repeated', collect)
    .option('--tag <text>', 'tag; may be repeated', collect)
    .option('--parent <goal>', 'parent goal')
    .option('--workspace <dir>', 'folder that the goal is for (default: every folder)')
    .action(async (title, options) => (await import('./change.ts')).create(title, options));
  subcommand(goal, 'set', 'change title, statement, status or parent')
    .argument('<goal>', 'id or title')
    .option('--title <text>', 'new title')
    .option('--statement <text>', 'new description; discards the plan')
    .addOption(new Option('--status <status>', 'new status').choices(zGoalStatus.options))
    .option('--parent <goal>', 'new parent; an empty text for none')
    .action(async (id, options) => (await import('./change.ts')).change(id, options));
}

function addLinks(goal: Command): void {
  subcommand(goal, 'link', 'record that a run, a recap or a note contributed to a goal')
    .argument('<goal>', 'id or title')
    .argument('<target>', 'id of a run or a recap, or the text of a note')
    .addOption(new Option('--kind <kind>', 'what the target is').choices(GOAL_LINK_KINDS).default('session'))
    .option('--note <text>', 'why')
    .action(async (id, target, options) => (await import('./change.ts')).link(id, target, options));
  subcommand(goal, 'delete', 'delete a goal permanently, with its links; runs and subgoals stay')
    .argument('<goal>', 'id or title')
    .option('--yes', 'delete; without this option, only show what would be lost')
    .action(async (id, options) => (await import('./change.ts')).remove(id, options));
}

function addViews(goal: Command): void {
  subcommand(goal, 'list', 'list goals, the last changed first')
    .addOption(new Option('--status <status>', 'only goals with this status').choices(zGoalStatus.options))
    .option('--search <text>', 'only goals with this text in title or statement')
    .option('--tag <text>', 'only goals with this tag')
    .option('--limit <n>', 'how many; 0 for all', '50')
    .addOption(atOption())
    .action(async (options) => (await import('./show.ts')).list(options));
  subcommand(goal, 'show', 'show a goal with its criteria, plan and contributions')
    .argument('<goal>', 'id or title')
    .addOption(atOption())
    .action(async (id, options) => (await import('./show.ts')).show(id, options));
  subcommand(goal, 'tree', 'show the tree below a goal, or all trees')
    .argument('[goal]', 'id or title')
    .option('--depth <n>', 'levels, 1 to 10', '10')
    .addOption(atOption())
    .action(async (id, options) => (await import('./show.ts')).tree(id, options));
}

function addPins(goal: Command): void {
  const workspace = ['--workspace <dir>', 'for runs in this folder (default: for runs everywhere)'] as const;
  subcommand(goal, 'pin', 'pin a goal, so that new runs belong to it; without a goal, show the pinned one')
    .argument('[goal]', 'id or title')
    .option(...workspace)
    .action(async (id, options) => (await import('./change.ts')).pin(id, options));
  subcommand(goal, 'unpin', 'remove the pin, so that new runs belong to no goal')
    .option(...workspace)
    .action(async (options) => (await import('./change.ts')).unpin(options));
}

function addModels(goal: Command): void {
  modelOptions(subcommand(goal, 'plan', 'let a model plan the goal, and record the plan'))
    .argument('<goal>', 'id or title')
    .action(async (id, options) => (await import('./ask.ts')).plan(id, options));
  const start = subcommand(goal, 'start', 'start a run for the goal, and follow it')
    .argument('<goal>', 'id or title')
    .option('--task <text>', 'task (default: the goal with its criteria and the open steps of its plan)');
  modelOptions(start)
    .option('--detach', 'start the run, print its session id, and return')
    .option('--json', 'AgentEvents as JSON lines')
    .action(async (id, options) => (await import('./ask.ts')).start(id, options));
  modelOptions(subcommand(goal, 'recap', 'summarise results and next steps'))
    .argument('<goal>', 'id or title')
    .action(async (id, options) => (await import('./ask.ts')).recap(id, options));
}
