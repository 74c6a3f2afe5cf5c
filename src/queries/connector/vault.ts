/** Turns trouble with the vault into a refusal. */
import { refused } from '../../commands/refusal.ts';
import { VaultTrouble } from '../../ports/secret-vault.ts';

/** Throws `Refused` (unavailable) for `VaultTrouble`, with its message, which holds no secret. */
export async function onVault<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof VaultTrouble ? refused('unavailable', error.message) : error;
  }
}
