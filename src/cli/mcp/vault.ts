/** The vault of a home, for reading: only the daemon writes to it. */
import { createKeyring } from '../../integrations/keyring/keyring.ts';
import { createTextCipher, keyFromPassphrase } from '../../integrations/vault/text-cipher.ts';
import { createSecretVault } from '../../integrations/vault/vault.ts';
import type { SecretVault } from '../../ports/secret-vault.ts';

export function vaultOf(home: string): Pick<SecretVault, 'read' | 'owners'> {
  return createSecretVault({
    home,
    keyring: createKeyring(),
    passphrase: process.env.DAYBOOK_VAULT_PASSPHRASE,
    cipher: createTextCipher,
    stretch: keyFromPassphrase,
  });
}
