/** Calls, errors and streams of docs/client.md. */
import { type AgentEvent, type Client, createClient, DaybookError } from '../../src/client/client.ts';

export function connect(): Client {
  return createClient();
}

export async function run(client: Client): Promise<readonly AgentEvent[]> {
  const { session_id } = await client.runs.start({ task: 'Write hello.txt', approval: 'auto-edit' });
  const seen: AgentEvent[] = [];
  for await (const { data } of client.runs.stream(session_id)) {
    seen.push(data);
  }
  return seen;
}

export async function judge(client: Client): Promise<string> {
  const { engagement } = await client.engagements.create({ name: 'Acme' });
  const { gates } = await client.engagements.listGates(engagement.id, { query: { phase: 'discover' } });
  const { gate } = await client.engagements.judgeGate(engagement.id, gates[0]!.id, {
    verdict: 'pass',
    observed: 'The sponsor signed on Monday.',
  });
  return gate.verdict;
}

export async function taskOrNull(client: Client, id: string) {
  try {
    return await client.tasks.get(id);
  } catch (error) {
    if (error instanceof DaybookError && error.status === 404) return null;
    throw error;
  }
}

/** Collects the types of all events after a position, until the signal is aborted. */
export async function follow(client: Client, after: number, signal: AbortSignal): Promise<string[]> {
  const types: string[] = [];
  const events = client.log.events({
    after,
    signal,
    onInterrupted: (reason) => console.error(`connecting again: ${reason.error}`),
  });
  for await (const { id, data } of events) {
    types.push(`${id} ${data.type}`);
  }
  return types;
}
