/** `daybook engagement`: client work by phases, with its deliverables, evidence and gates. Subcommands load when they run. */
import { Argument, Command, Option } from 'commander';
import {
  PHASES,
  zDeliverableStatus,
  zEngagementStatus,
  zEvidenceKind,
  zVerdict,
} from '../../events/engagement/events.ts';
import { atOption } from '../as-of.ts';
import { notes } from '../help.ts';
import { answerOptions, rejectArguments } from '../options.ts';

const HELP = `
An engagement, a deliverable or a gate is named by its id, its key, its title, or a unique beginning of one of them.
advance exits with code 1, and lists the blockers, when the phase cannot be left.

  daybook engagement new "Acme platform" --client Acme --workspace .
  daybook engagement show acme
  daybook engagement evidence add acme system-inventory docs/inventory.md
  daybook engagement deliver acme system-inventory accepted --owner Ada
  daybook engagement gate judge acme inventory pass --observed "0 misses in 40"
  daybook engagement advance acme
  daybook engagement show acme --at 2026-11-01T00:00:00Z
  daybook engagement report acme > report.md
  daybook engagement handover acme --pdf handover.pdf
`;

const REASON = ['--reason <text>', 'recorded with the change'] as const;

export function command(): Command {
  const engagement = new Command('engagement')
    .description('Client work in four phases: deliverables, evidence, gates, reports.')
    .allowExcessArguments()
    .action(async (options) => {
      rejectArguments(engagement);
      return (await import('./overview.ts')).list(options);
    });
  addOverview(engagement);
  addDeliverables(engagement);
  addNewDeliverable(engagement);
  addEvidence(engagement);
  addGates(engagement);
  addPhases(engagement);
  addDocuments(engagement);
  return answerOptions(engagement).addHelpText('after', notes(HELP));
}

function addOverview(engagement: Command): void {
  engagement
    .command('new')
    .description('create an engagement with the deliverables and gates of the template')
    .argument('<name>', 'its name')
    .option('--client <name>', 'the client')
    .option('--workspace <dir>', 'folder with its evidence')
    .option('--summary <text>', 'short description')
    .option(...REASON)
    .action(async (name, options) => (await import('./overview.ts')).open(name, options));
  engagement
    .command('list')
    .description('list engagements, the last changed first')
    .addOption(atOption())
    .action(async (options) => (await import('./overview.ts')).list(options));
  engagement
    .command('show')
    .description('show the readiness of each phase, and what blocks the current one')
    .argument('<engagement>', 'id or name')
    .addOption(new Option('--phase <phase>', 'the blockers of this phase').choices(PHASES))
    .option('--all', 'every blocker')
    .addOption(atOption())
    .action(async (id, options) => (await import('./overview.ts')).show(id, options));
}

function addDeliverables(engagement: Command): void {
  engagement
    .command('deliverables')
    .description('list deliverables with status, owner and evidence')
    .argument('<engagement>', 'id or name')
    .addOption(new Option('--phase <phase>', 'only of this phase').choices(PHASES))
    .addOption(atOption())
    .action(async (id, options) => (await import('./deliverables.ts')).listDeliverables(id, options));
  engagement
    .command('deliver')
    .description('set status, owner or notes of a deliverable')
    .argument('<engagement>', 'id or name')
    .argument('<deliverable>', 'key, id or title')
    .addArgument(new Argument('[status]', 'new status').choices(zDeliverableStatus.options))
    .option('--owner <name>', 'new owner; an empty text for none')
    .option('--notes <text>', 'new notes, which replace the old ones')
    .option(...REASON)
    .action(async (id, key, status, options) =>
      (await import('./deliverables.ts')).deliver({ id, key, status }, options),
    );
}

function addNewDeliverable(engagement: Command): void {
  engagement
    .command('deliverable')
    .description('further deliverables')
    .command('add')
    .description('add a deliverable')
    .argument('<engagement>', 'id or name')
    .argument('<key>', 'short name, such as data-map')
    .argument('<title>', 'title')
    .addOption(new Option('--phase <phase>', 'default: the current one').choices(PHASES))
    .option('--description <text>', 'what it contains')
    .option('--tool <text>', 'tool that helps to produce it')
    .option(...REASON)
    .action(async (id, key, title, options) =>
      (await import('./deliverables.ts')).addDeliverable({ id, key, title }, options),
    );
}

function addEvidence(engagement: Command): void {
  const evidence = engagement.command('evidence').description('evidence of deliverables: list, add, remove');
  addScan(engagement, evidence);
  evidence
    .command('list')
    .description('list the evidence of a deliverable, and whether its files have changed')
    .argument('<engagement>', 'id or name')
    .argument('<deliverable>', 'key, id or title')
    .addOption(atOption())
    .action(async (id, key, options) => (await import('./evidence.ts')).listEvidence(id, key, options));
  evidence
    .command('add')
    .description('attach a file with its hash, an address, a run, a figure or a note')
    .argument('<engagement>', 'id or name')
    .argument('<deliverable>', 'key, id or title')
    .argument('<path>', 'file, address, id of a run, or text')
    .addOption(new Option('--kind <kind>', 'default: url for an address, else file').choices(zEvidenceKind.options))
    .option('--label <text>', 'label (default: the path)')
    .option(...REASON)
    .action(async (id, key, reference, options) =>
      (await import('./evidence.ts')).addEvidence({ id, key, reference }, options),
    );
}

function addScan(engagement: Command, evidence: Command): void {
  evidence
    .command('remove')
    .description('remove a piece of evidence; the history keeps it')
    .argument('<engagement>', 'id or name')
    .argument('<deliverable>', 'key, id or title')
    .argument('<evidence>', 'id, label or reference')
    .option(...REASON)
    .action(async (id, key, nameOrId, options) =>
      (await import('./evidence.ts')).removeEvidence({ id, key, nameOrId }, options),
    );
  engagement
    .command('scan')
    .description('propose files of the workspace as evidence')
    .argument('<engagement>', 'id or name')
    .option('--path <dir>', 'folder to scan (default: the workspace)')
    .option('--attach', 'attach the proposed files; no status changes')
    .option(...REASON)
    .action(async (id, options) => (await import('./scan.ts')).scan(id, options));
}

function addGates(engagement: Command): void {
  const gate = engagement
    .command('gate')
    .description('gates, the conditions for leaving a phase: list, show, judge, add, remove');
  addNewGates(gate);
  gate
    .command('list')
    .description('list gates with their verdicts')
    .argument('<engagement>', 'id or name')
    .addOption(new Option('--phase <phase>', 'only of this phase').choices(PHASES))
    .addOption(atOption())
    .action(async (id, options) => (await import('./gates.ts')).listGates(id, options));
  gate
    .command('show')
    .description('show the criterion, the measurement and every verdict of a gate')
    .argument('<engagement>', 'id or name')
    .argument('<gate>', 'id or title')
    .addOption(atOption())
    .action(async (id, title, options) => (await import('./gates.ts')).showGate(id, title, options));
  gate
    .command('judge')
    .description('record a verdict; a pass needs --observed')
    .argument('<engagement>', 'id or name')
    .argument('<gate>', 'id or title')
    .addArgument(new Argument('<verdict>', 'the verdict').choices(zVerdict.options))
    .option('--observed <text>', 'what was measured')
    .option('--rationale <text>', 'why this verdict')
    .option('--by <name>', 'who decided')
    .option(...REASON)
    .action(async (id, title, verdict, options) => (await import('./gates.ts')).judge({ id, title, verdict }, options));
}

function addNewGates(gate: Command): void {
  gate
    .command('add')
    .description('add a gate; it needs a way to measure it')
    .argument('<engagement>', 'id or name')
    .argument('<title>', 'title')
    .requiredOption('--measurement <text>', 'how it is measured')
    .option('--criterion <text>', 'what has to hold')
    .addOption(new Option('--phase <phase>', 'default: the current one').choices(PHASES))
    .option(...REASON)
    .action(async (id, title, options) => (await import('./gates.ts')).addGate(id, title, options));
  gate
    .command('remove')
    .description('remove a gate; the history keeps it with its verdicts')
    .argument('<engagement>', 'id or name')
    .argument('<gate>', 'id or title')
    .option(...REASON)
    .action(async (id, title, options) => (await import('./gates.ts')).removeGate(id, title, options));
}

function addPhases(engagement: Command): void {
  engagement
    .command('advance')
    .description('leave the current phase; exit code 1 and the blockers when it cannot be left')
    .argument('<engagement>', 'id or name')
    .option('--force', 'leave it despite blockers, which are recorded; needs --reason')
    .option(...REASON)
    .action(async (id, options) => (await import('./phases.ts')).advance(id, options));
  engagement
    .command('set')
    .description('set the status, or the phase without checking gates')
    .argument('<engagement>', 'id or name')
    .addOption(new Option('--status <status>', 'new status').choices(zEngagementStatus.options))
    .addOption(new Option('--phase <phase>', 'new phase').choices(PHASES))
    .option(...REASON)
    .action(async (id, options) => (await import('./phases.ts')).set(id, options));
}

function addDocuments(engagement: Command): void {
  engagement
    .command('report')
    .description('print the status report as markdown, or save it as a PDF')
    .option('--pdf <file>', 'save it as this new file')
    .argument('<engagement>', 'id or name')
    .addOption(atOption())
    .action(async (id, options) => (await import('./documents.ts')).report(id, options));
  engagement
    .command('handover')
    .description('print the handover pack as markdown, or save it as a PDF')
    .option('--pdf <file>', 'save it as this new file')
    .argument('<engagement>', 'id or name')
    .addOption(atOption())
    .action(async (id, options) => (await import('./documents.ts')).handover(id, options));
  engagement
    .command('history')
    .description('list every change: when, by whom, why')
    .argument('<engagement>', 'id or name; the full id of a removed one')
    .option('--after <position>', 'only changes after this position of the log', '0')
    .action(async (id, options) => (await import('./documents.ts')).history(id, options));
}
