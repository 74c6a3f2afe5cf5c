/** A daemon with a webhook secret, a fake model and a forge on loopback, and signed deliveries. */
import { createHmac } from 'node:crypto';
import { type Bench, bench } from '../run/support.ts';
import { type ForgeServer, startForge } from './forge-server.ts';

export const SECRET = 'It’s a secret to everybody';

export const DIFF = `diff --git a/a.txt b/a.txt
index 5626abf..814f4a4 100644
--- a/a.txt
+++ b/a.txt
@@ -1 +1,2 @@
 one
+two
`;

export interface WebhookBench extends Bench {
  readonly forge: ForgeServer;
  /** Sends a delivery, signed unless `headers` say otherwise. */
  deliver(payload: unknown, headers?: Record<string, string | undefined>): Promise<Response>;
}

export async function webhookBench(env: NodeJS.ProcessEnv = {}): Promise<WebhookBench> {
  const forge = await startForge();
  const hosts = `127.0.0.1:${forge.port}`;
  const on = await bench('openai', { DAYBOOK_WEBHOOK_SECRET: SECRET, DAYBOOK_FORGE_HOSTS: hosts, ...env });
  return {
    ...on,
    forge,
    deliver(payload, headers = {}) {
      const body = Buffer.isBuffer(payload) || typeof payload === 'string' ? payload : JSON.stringify(payload);
      const all = {
        'content-type': 'application/json',
        'x-forge-event': 'pull_request',
        'x-hub-signature-256': sign(body),
        ...headers,
      };
      const given = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined);
      return fetch(`${on.daemon.url}/webhook/forge`, { method: 'POST', body: body, headers: given });
    },
    async close() {
      await on.close();
      await forge.close();
    },
  };
}

export function sign(body: string | Buffer, secret = SECRET): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
}

/** A payload with only what is read. */
export function payload(
  url: string,
  changes: { readonly action?: string; readonly pull_request?: object; readonly repository?: object } = {},
) {
  return {
    action: changes.action ?? 'opened',
    pull_request: {
      number: 7,
      title: 'Add two',
      diff_url: `${url}/o/r/pull/7.diff`,
      head: { sha: 'b'.repeat(40), ref: 'change' },
      base: { sha: 'a'.repeat(40), ref: 'main' },
      ...changes.pull_request,
    },
    repository: { full_name: 'o/r', clone_url: `${url}/smart/r.git`, ...changes.repository },
  };
}

export const REVIEW = JSON.stringify({
  summary: 'It adds a line.',
  findings: [
    { file: 'a.txt', line: 2, severity: 'high', title: 'Off by one', detail: 'two is too many' },
    { file: 'a.txt', line: null, severity: 'low', title: 'No test', detail: '' },
  ],
});
