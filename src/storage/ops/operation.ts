/** A long operation of a store, as clients see it, and its result by kind. */
import { isAbsolute } from 'node:path';
import { z } from 'zod';

const zKindAlone = z.enum(['verified_backup', 'compact', 'verify']);

export const zOperationRequest = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('backup').describe('A copy of the store while the daemon writes.'),
    to: z
      .string()
      .min(1)
      .max(4_096)
      .refine(isAbsolute, 'must be an absolute path')
      .describe('Folder of the copy: absolute, and not there yet.'),
  }),
  z.strictObject({
    kind: zKindAlone.describe('`verified_backup`: the daily backup, now, restored to a scratch folder and read.'),
  }),
]);
z.globalRegistry.add(zOperationRequest, { examples: [{ kind: 'backup', to: '/home/ada/backup' }] });
export type OperationRequest = Readonly<z.infer<typeof zOperationRequest>>;

const zBackup = z.object({
  to: z.string().describe('Folder of the copy.'),
  files: z.int().describe('Files in it.'),
  bytes: z.int(),
});

const zVerifiedBackup = z.object({
  path: z.string().describe('Folder of the backup.'),
  position: z.int(),
  tree_hash: z.string(),
  bytes: z.int(),
  made_at: z.int(),
  verified_at: z.int(),
});

const zCompaction = z.object({
  disk_bytes_before: z.int().describe('Size in bytes before the compaction.'),
  disk_bytes: z.int(),
});

export const zVerification = z.object({
  ok: z.boolean().describe('No error was found.'),
  head: z.int().describe('Position of the last event that was read.'),
  tree_hash: z.string(),
  errors: z
    .array(
      z.object({
        file: z.string().describe('File of the store.'),
        offset: z.int().nullable().describe('Byte in the file; null when it is about the whole file.'),
        what: z.string().describe('What is wrong there.'),
      }),
    )
    .describe('What is damaged; empty when nothing is.'),
});

export const zOperation = z.object({
  id: z.string().describe('Id of the operation.'),
  kind: z.enum(['backup', ...zKindAlone.options]).describe('What was asked for.'),
  state: z.enum(['running', 'done', 'failed', 'cancelled']).describe('Whether it is at work, and how it ended.'),
  done: z.number().describe('How much of `total` is done.'),
  total: z.number().describe('All there is to do, in the unit of `done`; 0 while it is not known.'),
  error: z
    .object({
      code: z.string().nullable().describe('`STORAGE_…`; null for other errors.'),
      message: z.string().describe('What went wrong, in one sentence.'),
    })
    .nullable()
    .describe('Why it failed or that it was cancelled; null otherwise.'),
  result: z
    .union([zBackup, zVerifiedBackup, zCompaction, zVerification])
    .nullable()
    .describe('By kind: backup, verified_backup, compact, verify; null before the end.'),
});
z.globalRegistry.add(zOperation, { id: 'StorageOperation' });
export type OperationState = Readonly<z.infer<typeof zOperation>>;
