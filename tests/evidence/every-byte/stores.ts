/**
 * `npm run test:evidence:long`, first part: changes each byte of every file of a store of 1 000 events, on each engine,
 * closed and killed, and runs the checks of `log verify` (`tests/tlog/store-bytes.ts`). Prints how many changes were
 * reported, and how many bytes are never read.
 *
 * - Exit code 1 when a change was missed; it is listed.
 *
 * Options: `--backend NAME`, `--end closed|killed`; without them all.
 */
import { optionsOf } from '../../../scripts/options.ts';
import { outcomeOf, storedFiles } from '../../tlog/store-bytes.ts';
import { storeImage } from '../../tlog/store-trial.ts';

const BACKENDS = ['cow', 'lsm', 'embedded_kv'] as const;
const ENDS = ['closed', 'killed'] as const;
const { values } = optionsOf({ options: { backend: { type: 'string' }, end: { type: 'string' } } });

for (const backend of BACKENDS.filter((name) => name === (values.backend ?? name))) {
  for (const end of ENDS.filter((name) => name === (values.end ?? name))) {
    for (const file of await storedFiles(await storeImage(backend, end))) {
      const counts = { named: 0, unread: 0, missed: 0 };
      for (let at = 0; at < file.bytes; at += 1) {
        const outcome = await outcomeOf(file, at);
        counts[outcome] += 1;
        if (outcome === 'missed') process.stdout.write(`not detected: ${backend}, ${end}, ${file.name} at ${at}\n`);
      }
      const { named, unread, missed } = counts;
      process.stdout.write(
        `${new Date().toISOString()} ${backend}, ${end}, ${file.name}: ${file.bytes} bytes, ${named} named, ${unread} unread, ${missed} not detected\n`,
      );
      if (missed > 0) process.exitCode = 1;
    }
  }
}
// Connections to SQLite that hold a store as it was would keep the process.
process.exit();
