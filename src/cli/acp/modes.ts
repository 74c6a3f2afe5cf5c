/** Approval policies as the session modes an editor offers. */
import type { SessionModeState } from '@agentclientprotocol/sdk';

export const MODES = [
  { id: 'suggest', name: 'Ask first', description: 'Asks before files are changed or commands are run.' },
  {
    id: 'auto-edit',
    name: 'Edit freely',
    description: 'Changes files of the workspace; asks before commands are run.',
  },
  { id: 'full-auto', name: 'Full auto', description: 'Changes files and runs commands without asking.' },
  { id: 'read-only', name: 'Read only', description: 'Reads and searches; changes nothing and asks nothing.' },
];

export function isMode(id: string): boolean {
  return MODES.some((mode) => mode.id === id);
}

export function modeState(currentModeId: string): SessionModeState {
  return { currentModeId, availableModes: MODES };
}
