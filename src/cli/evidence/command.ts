/** `daybook evidence`: exports an evidence bundle, and checks one. Each subcommand is loaded when it runs. */
import { Command } from 'commander';
import { notes } from '../help.ts';
import { homeOption, subcommand } from '../options.ts';

const HELP = `
  daybook evidence export 3f9c… --to shop.zip --with-files     an engagement, a run or a goal
  daybook evidence export --stream run-3f9c… --to run.zip
  daybook evidence export --positions 100-200 --to some.zip
  daybook evidence verify shop.zip --vkey 'daybook.local/…+…+…'

verify needs no daemon and no home. Its exit code is 0 when the bundle is valid, 1 otherwise.
`;

export function command(): Command {
  const evidence = new Command('evidence').description(
    'Evidence bundles: one file that proves what the log recorded, and that anyone can check without Daybook.',
  );
  const toFile = subcommand(evidence, 'export', 'write events with their proofs into a new zip file')
    .argument('[id]', 'an engagement, a run or a goal')
    .option('--stream <name>', 'all events of a stream instead')
    .option('--positions <first-last>', 'the events at these positions instead')
    .requiredOption('--to <file>', 'the zip file, which does not exist yet')
    .option('--since <size>', 'also prove that the log continues a checkpoint of this size that the recipient has')
    .option('--with-files', 'include attached files that are unchanged')
    .option('--json', 'the file and its size as JSON')
    .action(async (id, options) => (await import('./export.ts')).exportEvidence(id, options));
  homeOption(toFile);
  subcommand(evidence, 'verify', 'check a bundle; exit code 1 and the first fault when it is invalid')
    .argument('<file>', 'the zip file')
    .option('--vkey <key>', 'the verifier key that the owner of the log gave you')
    .option('--checkpoint <file>', 'a checkpoint that you received earlier; the log must continue it')
    .option('--witness <key...>', 'verifier keys of witnesses that must have cosigned the checkpoint')
    .option('--json', 'the result as JSON')
    .action(async (file, options) => (await import('./verify.ts')).verifyEvidence(file, options));
  return homeOption(evidence).addHelpText('after', notes(HELP));
}
