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
import { answerOptions, subcommand, withoutSubcommand } from '../options.ts';

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
    .action(withoutSubcommand(async (options: object) => (await import('./overview.ts')).list(options)));
  addOverview(engagement);
  addDeliverables(engagement);
  addNewDeliverable(engagement);
  addEvidence(engagement);
  addGates(engagement);
  addPhases(engagement);
  addDocuments(engagement);
  return answerOptions(engagement).addHelpText('after', notes(HELP));
}

function onEngagement(parent: Command, name: string, description: string): Command {
  return subcommand(parent, name, description).argument('<engagement>', 'id or name');
}

function addOverview(engagement: Command): void {
  subcommand(engagement, 'new', 'create an engagement with the deliverables and gates of the template')
    .argument('<name>', 'its name')
    .option('--client <name>', 'the client')
    .option('--workspace <dir>', 'folder with its evidence')
    .option('--summary <text>', 'short description')
    .option(...REASON)
    .action(async (name, options) => (await import('./overview.ts')).open(name, options));
  subcommand(engagement, 'list', 'list engagements, the last changed first')
    .addOption(atOption())
    .action(async (options) => (await import('./overview.ts')).list(options));
  onEngagement(engagement, 'show', 'show the readiness of each phase, and what blocks the current one')
    .addOption(new Option('--phase <phase>', 'the blockers of this phase').choices(PHASES))
    .option('--all', 'every blocker')
    .addOption(atOption())
    .action(async (id, options) => (await import('./overview.ts')).show(id, options));
}

function addDeliverables(engagement: Command): void {
  onEngagement(engagement, 'deliverables', 'list deliverables with status, owner and evidence')
    .addOption(new Option('--phase <phase>', 'only of this phase').choices(PHASES))
    .addOption(atOption())
    .action(async (id, options) => (await import('./deliverables.ts')).listDeliverables(id, options));
  onEngagement(engagement, 'deliver', 'set status, owner or notes of a deliverable')
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
  const deliverable = subcommand(engagement, 'deliverable', 'further deliverables');
  onEngagement(deliverable, 'add', 'add a deliverable')
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
  const evidence = subcommand(engagement, 'evidence', 'evidence of deliverables: list, add, remove');
  addScan(engagement, evidence);
  onEngagement(evidence, 'list', 'list the evidence of a deliverable, and whether its files have changed')
    .argument('<deliverable>', 'key, id or title')
    .addOption(atOption())
    .action(async (id, key, options) => (await import('./evidence.ts')).listEvidence(id, key, options));
  onEngagement(evidence, 'add', 'attach a file with its hash, an address, a run, a figure or a note')
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
  onEngagement(evidence, 'remove', 'remove a piece of evidence; the history keeps it')
    .argument('<deliverable>', 'key, id or title')
    .argument('<evidence>', 'id, label or reference')
    .option(...REASON)
    .action(async (id, key, nameOrId, options) =>
      (await import('./evidence.ts')).removeEvidence({ id, key, nameOrId }, options),
    );
  onEngagement(engagement, 'scan', 'propose files of the workspace as evidence')
    .option('--path <dir>', 'folder to scan (default: the workspace)')
    .option('--attach', 'attach the proposed files; no status changes')
    .option(...REASON)
    .action(async (id, options) => (await import('./evidence.ts')).scan(id, options));
}

function addGates(engagement: Command): void {
  const gate = subcommand(
    engagement,
    'gate',
    'gates, the conditions for leaving a phase: list, show, judge, add, remove',
  );
  addNewGates(gate);
  onEngagement(gate, 'list', 'list gates with their verdicts')
    .addOption(new Option('--phase <phase>', 'only of this phase').choices(PHASES))
    .addOption(atOption())
    .action(async (id, options) => (await import('./gates.ts')).listGates(id, options));
  onEngagement(gate, 'show', 'show the criterion, the measurement and every verdict of a gate')
    .argument('<gate>', 'id or title')
    .addOption(atOption())
    .action(async (id, title, options) => (await import('./gates.ts')).showGate(id, title, options));
  onEngagement(gate, 'judge', 'record a verdict; a pass needs --observed')
    .argument('<gate>', 'id or title')
    .addArgument(new Argument('<verdict>', 'the verdict').choices(zVerdict.options))
    .option('--observed <text>', 'what was measured')
    .option('--rationale <text>', 'why this verdict')
    .option('--by <name>', 'who decided')
    .option(...REASON)
    .action(async (id, title, verdict, options) => (await import('./gates.ts')).judge({ id, title, verdict }, options));
}

function addNewGates(gate: Command): void {
  onEngagement(gate, 'add', 'add a gate; it needs a way to measure it')
    .argument('<title>', 'title')
    .requiredOption('--measurement <text>', 'how it is measured')
    .option('--criterion <text>', 'what has to hold')
    .addOption(new Option('--phase <phase>', 'default: the current one').choices(PHASES))
    .option(...REASON)
    .action(async (id, title, options) => (await import('./gates.ts')).addGate(id, title, options));
  onEngagement(gate, 'remove', 'remove a gate; the history keeps it with its verdicts')
    .argument('<gate>', 'id or title')
    .option(...REASON)
    .action(async (id, title, options) => (await import('./gates.ts')).removeGate(id, title, options));
}

function addPhases(engagement: Command): void {
  onEngagement(engagement, 'advance', 'leave the current phase; exit code 1 and the blockers when it cannot be left')
    .option('--force', 'leave it despite blockers, which are recorded; needs --reason')
    .option(...REASON)
    .action(async (id, options) => (await import('./overview.ts')).advance(id, options));
  onEngagement(engagement, 'set', 'set the status, or the phase without checking gates')
    .addOption(new Option('--status <status>', 'new status').choices(zEngagementStatus.options))
    .addOption(new Option('--phase <phase>', 'new phase').choices(PHASES))
    .option(...REASON)
    .action(async (id, options) => (await import('./overview.ts')).set(id, options));
}

function addDocuments(engagement: Command): void {
  onEngagement(engagement, 'report', 'print the status report as markdown, or save it as a PDF')
    .option('--pdf <file>', 'save it as this new file')
    .addOption(atOption())
    .action(async (id, options) => (await import('./documents.ts')).report(id, options));
  onEngagement(engagement, 'handover', 'print the handover pack as markdown, or save it as a PDF')
    .option('--pdf <file>', 'save it as this new file')
    .addOption(atOption())
    .action(async (id, options) => (await import('./documents.ts')).handover(id, options));
  subcommand(engagement, 'history', 'list every change: when, by whom, why')
    .argument('<engagement>', 'id or name; the full id of a removed one')
    .option('--after <position>', 'only changes after this position of the log', '0')
    .option('--json', 'each change as a JSON line')
    .action(async (id, options) => (await import('./documents.ts')).history(id, options));
}
