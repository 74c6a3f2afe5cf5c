/** Commands of the signed log: its key, its witnesses, the logs that it witnesses, its timestamps. */
import fc from 'fast-check';
import { LOG_KEY_STREAM_ID, logKey } from '../../commands/tlog/log-key.ts';
import { checkpointTimestamp } from '../../commands/tlog/timestamp.ts';
import { TRUSTED_LOGS_STREAM_ID, trustedLogs } from '../../commands/tlog/trusted-logs.ts';
import { logWitnesses, WITNESSES_STREAM_ID } from '../../commands/tlog/witnesses.ts';
import { timestampEvents } from '../../events/tlog.ts';
import { arbitraryOf, smallText } from '../schema-values.ts';
import { type CommandSource, command, few, only } from './parts.ts';

const vkey = fc.constantFrom('log+1+a', 'log+2+b');

export const tlogCommands = {
  logKey: {
    decider: logKey,
    ids: only(LOG_KEY_STREAM_ID),
    command: command('RotateLogKey', { log_id: smallText, from: vkey, to: vkey, statement: smallText }),
  },
  logWitnesses: {
    decider: logWitnesses,
    ids: only(WITNESSES_STREAM_ID),
    command: fc.oneof(
      command('AddWitness', { url: few('u'), vkey: few('w') }),
      command('RemoveWitness', { vkey: few('w') }),
    ),
  },
  trustedLogs: {
    decider: trustedLogs,
    ids: only(TRUSTED_LOGS_STREAM_ID),
    command: fc.oneof(
      command('TrustLog', { vkey: few('l') }),
      command('DistrustLog', { vkey: few('l') }),
      command('RecordFork', { origin: few('o'), size: fc.nat(9), known: few('k'), other: few('n') }),
    ),
  },
  checkpointTimestamp: {
    decider: checkpointTimestamp,
    ids: few('t'),
    command: arbitraryOf(timestampEvents.CheckpointTimestamped.data).map((made: object) => {
      return { type: 'RecordTimestamp', ...made };
    }),
  },
} satisfies Readonly<Record<string, CommandSource>>;
