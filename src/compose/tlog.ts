/** Creates the parts of the signed log: keys, checkpoints, witnesses, time stamps. */
import { join } from 'node:path';
import { openCheckpointStore } from '../integrations/tlog/checkpoint-store.ts';
import { httpPost } from '../integrations/tlog/http-post.ts';
import { createLogKeyStore, logKeyPath } from '../integrations/tlog/log-keys.ts';
import { createWitnessStates, sharedWitnessStates } from '../integrations/tlog/witness-states.ts';
import { takeDuty } from '../reactors/nodes/duty.ts';
import { Checkpoints } from '../reactors/tlog/checkpoints.ts';
import { Cosigning } from '../reactors/tlog/cosigning.ts';
import { LogKeys, type LogKeysParts } from '../reactors/tlog/log-keys.ts';
import { Timestamps } from '../reactors/tlog/timestamps.ts';
import { Witness } from '../reactors/tlog/witness.ts';
import type { EventLog } from '../storage/event-log.ts';
import { seconds } from '../storage/ops/families.ts';
import type { Family } from '../storage/ops/meters.ts';
import { counter, gauge } from '../storage/ops/metrics.ts';
import { refuseSecondKey } from './agreed-keys.ts';
import type { Integrations } from './integrations.ts';
import type { Cluster } from './nodes.ts';
import type { Streams } from './streams.ts';
import type { System } from './system.ts';

interface Parts extends System, Streams {
  readonly log: EventLog;
  readonly encryption: LogKeysParts['encryption'];
  readonly cluster: Pick<Cluster, 'leases' | 'tables'>;
  readonly integrations: Pick<Integrations, 'secrets'>;
}

export function createTlog({ config, integrations, committed, timers, announce, cluster, ...parts }: Parts) {
  const { home, ephemeral, log_key, log_origin: origin } = config;
  const store = createLogKeyStore({
    path: ephemeral ? null : logKeyPath(config),
    keyring: log_key === 'keyring' ? integrations.secrets : null,
  });
  const table = cluster.tables?.nodes;
  const beforeFirstKey = table === undefined ? undefined : () => refuseSecondKey({ table, leases: cluster.leases });
  const logKeys = new LogKeys({ ...parts, announce, store, origin, beforeFirstKey });
  const checkpointStore = openCheckpointStore(ephemeral ? null : join(home, 'checkpoints.db'), announce);
  // A daemon without the key that the log has now leaves the signing to the others.
  const signing = takeDuty({
    name: 'signing',
    leases: cluster.leases,
    isAble: () => logKeys.areSigning,
    onAcquired: () => void checkpoints.sign().then(() => cosigning.start()),
  });
  const checkpoints = new Checkpoints({
    ...parts,
    isOnDuty: () => signing.isOn(),
    keys: logKeys,
    store: checkpointStore,
    appended$: committed.appended$,
    after: (milliseconds, callback) => timers.after(milliseconds, callback),
    announce,
  });
  const cosigning = new Cosigning({
    ...parts,
    checkpoints,
    announce,
    post: httpPost,
    isOnDuty: () => signing.isOn(),
    after: (milliseconds, callback) => timers.after(milliseconds, callback),
    store: checkpointStore,
    quorum: config.witness_quorum,
  });
  const files = createWitnessStates(ephemeral ? null : join(home, 'witness'));
  const states = table === undefined ? files : sharedWitnessStates(files, table);
  const witness = new Witness({ ...parts, keys: logKeys, states, announce });
  const timestamps = new Timestamps({ ...parts, cosigning, post: httpPost });
  return { logKeys, checkpoints, cosigning, witness, timestamps };
}

/** Metrics of the signed log. */
export function tlogFamilies({ checkpoints, cosigning, timestamps }: ReturnType<typeof createTlog>): readonly Family[] {
  const { needed, cosigned, isMissing } = cosigning.quorum();
  const { last, trouble } = checkpoints;
  return [
    gauge('signed_checkpoint_size', 'Events of the newest signed checkpoint.', last?.size ?? null),
    gauge('signed_checkpoint_timestamp_seconds', 'When it was signed, Unix time.', seconds(last?.at)),
    gauge('signing_failing', '1 while the log cannot be signed, else 0.', trouble === null ? 0 : 1),
    gauge('witnesses_needed', 'Witnesses that must cosign a checkpoint.', needed),
    gauge('witnesses_cosigned', 'Witnesses that cosigned the newest checkpoint they were asked for.', cosigned),
    gauge('witness_quorum_missing', '1 while fewer witnesses cosign than must, else 0.', isMissing ? 1 : 0),
    ...timestampFamilies(timestamps.figures),
  ];
}

function timestampFamilies({ stamped, failed, isFailing, last }: Timestamps['figures']): readonly Family[] {
  return [
    counter('timestamps_total', 'Time stamps of checkpoints that an authority gave.', stamped),
    counter('timestamp_failures_total', 'Requests for a time stamp that failed.', failed),
    gauge('timestamp_failing', '1 while the newest request for a time stamp failed, else 0.', isFailing ? 1 : 0),
    gauge('timestamp_last_timestamp_seconds', 'The newest time stamp, Unix time.', seconds(last)),
  ];
}
