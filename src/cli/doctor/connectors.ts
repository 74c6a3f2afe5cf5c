/** The check of the vault: can the credentials of connectors be had? Nothing where none were ever kept. */
import { VaultTrouble } from '../../ports/secret-vault.ts';
import { vaultOf } from '../mcp/vault.ts';
import { type Finding, finding } from './finding.ts';

export async function vaultFindings(home: string): Promise<readonly Finding[]> {
  const vault = vaultOf(home);
  try {
    const owners = await vault.owners();
    if (owners.length === 0) return [];
    // One is opened with the key of all.
    await vault.read(owners[0]!);
    return [
      finding(
        'vault',
        'ok',
        `credentials of ${owners.length} ${owners.length === 1 ? 'connector' : 'connectors'} can be had`,
      ),
    ];
  } catch (error) {
    if (error instanceof VaultTrouble) return [finding('vault', 'warning', error.message)];
    throw error;
  }
}
