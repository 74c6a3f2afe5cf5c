/** `daybook goal`: what many runs work toward. Subcommands load when they run. */
import { Command, Option } from 'commander';
import { zGoalStatus } from '../../events/goal.ts';
import { atOption } from '../as-of.ts';
import { answerOptions, collect, rejectArguments } from '../options.ts';

const HELP = `
A goal is named by its id, its title, or a unique beginning of one of them.
The exit codes of start are those of daybook run.

  daybook goal new "Ship the exporter" --criterion "1 GB in a minute" --workspace .
  daybook goal new "Measure it" --parent "Ship the exporter"
  daybook goal plan ship
  daybook goal start ship
  daybook goal tree
  daybook goal recap ship
`;

const LINK_KINDS = ['session', 'job', 'recap', 'note'] as const;
const PROVIDER = ['--provider <id>', 'model provider; together with --model'] as const;
const MODEL = ['--model <id>', 'model; together with --provider'] as const;

export function goalCommand(): Command {
  const goal = new Command('goal')
    .description('Goals over many runs: make them, plan them, start runs for them, see what came of them.')
    .allowExcessArguments()
    .action(async (options) => {
      rejectArguments(goal);
      return (await import('./show.ts')).list(options);
    });
  addChanges(goal);
  addLinks(goal);
  addViews(goal);
  addPins(goal);
  addModels(goal);
  return answerOptions(goal).addHelpText('after', HELP);
}

function addChanges(goal: Command): void {
  goal
    .command('new')
    .description('make one')
    .argument('<title>', 'what is to be reached')
    .option('--statement <text>', 'the same at length')
    .option('--criterion <text>', 'how to see that it is reached; several are allowed', collect)
    .option('--tag <text>', 'tag; several are allowed', collect)
    .option('--parent <goal>', 'goal that it is a part of')
    .option('--workspace <dir>', 'folder that it is about (default: none, it is for everywhere)')
    .action(async (title, options) => (await import('./change.ts')).create(title, options));
  goal
    .command('set')
    .description('change title, statement, status or parent')
    .argument('<goal>', 'id or title')
    .option('--title <text>', 'new title')
    .option('--statement <text>', 'new statement; the plan falls')
    .addOption(new Option('--status <status>', 'new status').choices(zGoalStatus.options))
    .option('--parent <goal>', 'new parent; an empty text for none')
    .action(async (id, options) => (await import('./change.ts')).change(id, options));
}

function addLinks(goal: Command): void {
  goal
    .command('link')
    .description('say that a run, a recap or a note contributed to it')
    .argument('<goal>', 'id or title')
    .argument('<target>', 'id of a run or a recap, or the text of a note')
    .addOption(new Option('--kind <kind>', 'what the target is').choices(LINK_KINDS).default('session'))
    .option('--note <text>', 'why')
    .action(async (id, target, options) => (await import('./change.ts')).link(id, target, options));
  goal
    .command('delete')
    .description('delete it for good, with its links; runs and the goals below it stay')
    .argument('<goal>', 'id or title')
    .option('--yes', 'without this nothing is deleted: what would be lost is said')
    .action(async (id, options) => (await import('./change.ts')).remove(id, options));
}

function addViews(goal: Command): void {
  goal
    .command('list')
    .description('goals, the last changed first')
    .addOption(new Option('--status <status>', 'only these').choices(zGoalStatus.options))
    .option('--search <text>', 'only with this in title or statement')
    .option('--tag <text>', 'only with this tag')
    .option('--limit <n>', 'how many; 0 for all', '50')
    .addOption(atOption())
    .action(async (options) => (await import('./show.ts')).list(options));
  goal
    .command('show')
    .description('one goal: criteria, plan, and what contributed')
    .argument('<goal>', 'id or title')
    .addOption(atOption())
    .action(async (id, options) => (await import('./show.ts')).show(id, options));
  goal
    .command('tree')
    .description('the goals below one, or all of them')
    .argument('[goal]', 'id or title')
    .option('--depth <n>', 'levels, 1 to 10', '10')
    .addOption(atOption())
    .action(async (id, options) => (await import('./tree.ts')).tree(id, options));
}

function addPins(goal: Command): void {
  const workspace = ['--workspace <dir>', 'for runs in this folder (default: for runs everywhere)'] as const;
  goal
    .command('pin')
    .description('new runs belong to this goal; without a goal: which one is pinned')
    .argument('[goal]', 'id or title')
    .option(...workspace)
    .action(async (id, options) => (await import('./change.ts')).pin(id, options));
  goal
    .command('unpin')
    .description('new runs belong to no goal')
    .option(...workspace)
    .action(async (options) => (await import('./change.ts')).unpin(options));
}

function addModels(goal: Command): void {
  goal
    .command('plan')
    .description('have a model plan it, and keep the plan')
    .argument('<goal>', 'id or title')
    .option(...PROVIDER)
    .option(...MODEL)
    .action(async (id, options) => (await import('./ask.ts')).plan(id, options));
  goal
    .command('start')
    .description('start a run for it, and follow it')
    .argument('<goal>', 'id or title')
    .option('--task <text>', 'what is to be done (default: the goal with its criteria and the open steps of its plan)')
    .option(...PROVIDER)
    .option(...MODEL)
    .option('--detach', 'start it, print its session id, and leave it to the daemon')
    .action(async (id, options) => (await import('./ask.ts')).start(id, options));
  goal
    .command('recap')
    .description('what came of it, and what is next')
    .argument('<goal>', 'id or title')
    .option(...PROVIDER)
    .option(...MODEL)
    .action(async (id, options) => (await import('./ask.ts')).recap(id, options));
}
