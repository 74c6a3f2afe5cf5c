/** A document that several people write, of docs/client.md. */
import * as Y from 'yjs';
import type { Client } from '../../src/client/client.ts';
import { connectRoom } from '../../src/client/yjs.ts';

export async function write(client: Client): Promise<string> {
  const doc = new Y.Doc();
  const room = connectRoom(client, 'plan', { Y, doc, name: 'ann' });
  await room.synced;
  doc.getText('plan.md').insert(0, '# Plan');
  room.close();
  return doc.getText('plan.md').toString();
}
