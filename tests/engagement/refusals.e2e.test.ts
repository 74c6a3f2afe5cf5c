/** Bad requests to the engagement routes, row by row: the status, and what the message must name. */
import { expect, it } from 'vitest';
import { sharedDaemon } from '../support/daemon.ts';
import { client } from './support.ts';

const daemon = sharedDaemon();
const http = client(daemon);

const head = async (): Promise<number> => (await http.send<{ position: number }>('GET', '/v1/log/head')).body.position;

/** Method, path, body → status, and what the message names. `:id`, `:did` and `:gid` are those of an engagement. */
const REFUSALS: readonly (readonly [string, string, unknown, number, readonly string[]])[] = [
  ['POST', '/engagements', {}, 400, ['name']],
  ['POST', '/engagements', { name: ' ' }, 400, ['name']],
  ['POST', '/engagements', { name: 5 }, 400, ['name']],
  ['POST', '/engagements', { name: '\u200b' }, 400, ['name']],
  ['POST', '/engagements', { name: 'x', workspace_path: 'a\0b' }, 400, ['workspace_path']],
  ['PATCH', ':id', { status: 'done' }, 400, ['status', 'draft', 'active', 'paused', 'closed']],
  ['PATCH', ':id', { phase: 'later' }, 400, ['phase', 'discover', 'prove', 'build', 'operate']],
  ['GET', ':id/deliverables?phase=later', undefined, 400, ['phase', 'discover', 'prove', 'build', 'operate']],
  ['GET', ':id/gates?phase=Build', undefined, 400, ['phase', 'discover', 'prove', 'build', 'operate']],
  ['POST', ':id/deliverables', { phase: 'x', key: 'k', title: 't' }, 400, ['phase', 'discover']],
  ['POST', ':id/deliverables', { phase: 'build', key: ' ', title: 't' }, 400, ['key']],
  ['POST', ':id/deliverables', { phase: 'build', key: 'k' }, 400, ['title']],
  ['PATCH', ':id/deliverables/:did', { status: 'done' }, 400, ['status', 'not_started', 'waived']],
  ['POST', ':id/deliverables/:did/evidence', { kind: 'photo' }, 400, ['kind', 'file', 'url', 'run', 'metric', 'note']],
  ['POST', ':id/gates', { phase: 'build', title: 't' }, 400, ['measurement']],
  ['POST', ':id/gates', { phase: 'build', title: 't', measurement: ' ' }, 400, ['measurement']],
  ['POST', ':id/gates', { phase: 'build', title: ' ', measurement: 'm' }, 400, ['title']],
  ['POST', ':id/gates', { phase: 'x', title: 't', measurement: 'm' }, 400, ['phase', 'operate']],
  ['POST', ':id/gates/:gid/judge', {}, 400, ['verdict']],
  ['POST', ':id/gates/:gid/judge', { verdict: 'pass', observed: '\u200b' }, 400, ['observed']],
  ['POST', ':id/seed', { reason: 5 }, 400, ['reason']],
  [
    'POST',
    ':id/gates/:gid/judge',
    { verdict: 'great' },
    400,
    ['verdict', 'not_measured', 'pending', 'pass', 'fail', 'waived'],
  ],
  ['POST', ':id/advance', undefined, 400, []],
  ['POST', ':id/advance', { force: 'yes' }, 400, ['force']],
  ['POST', ':id/scan', {}, 400, ['path']],
  ['POST', ':id/scan', { path: '/no/such/folder' }, 400, ['path']],
  ['POST', ':id/scan', { attach: 'yes' }, 400, ['attach']],
  ['GET', ':id?at=0', undefined, 400, ['at']],
  ['GET', ':id?at=999999', undefined, 400, ['at']],
  ['GET', ':id?at=yesterday', undefined, 400, ['at', 'RFC 3339']],
  ['GET', ':id/report.md?at=2026-02-30T00:00:00Z', undefined, 400, ['at']],
  ['GET', ':id/handover.md?at=-1', undefined, 400, ['at']],
  ...['0', '5001', '', 'x', '0x10', '1e2', '5.0', '%205', '1&limit=2'].map(
    (limit) => ['GET', `:id/history?limit=${limit}`, undefined, 400, ['limit', 'whole number', '1 to 5000']] as const,
  ),
  ['GET', ':id?at=1999-01-01T00:00:00Z', undefined, 404, []],
  ...['', '/deliverables', '/gates', '/report.md', '/handover.md', '/history', '/deliverables/:did/evidence'].map(
    (path) => ['GET', `/engagements/nobody${path}`, undefined, 404, ['nobody']] as const,
  ),
  ['DELETE', '/engagements/nobody', undefined, 404, ['nobody']],
  ['PATCH', '/engagements/nobody', {}, 404, ['nobody']],
  ['POST', '/engagements/nobody/seed', undefined, 404, ['nobody']],
  ['POST', '/engagements/nobody/scan', {}, 404, ['nobody']],
  ['POST', '/engagements/nobody/advance', {}, 404, ['nobody']],
  ['POST', '/engagements/nobody/gates', { phase: 'build', title: 't', measurement: 'm' }, 404, ['nobody']],
  ['POST', '/engagements/nobody/deliverables', { phase: 'build', key: 'k', title: 't' }, 404, ['nobody']],
  ['PATCH', ':id/deliverables/nothing', { notes: 'n' }, 404, ['nothing']],
  ['GET', ':id/deliverables/nothing/evidence', undefined, 404, ['nothing']],
  ['POST', ':id/deliverables/nothing/evidence', {}, 404, ['nothing']],
  ['DELETE', ':id/evidence/nothing', undefined, 404, ['nothing']],
  ['POST', ':id/gates/nothing/judge', { verdict: 'fail' }, 404, ['nothing']],
  ['DELETE', ':id/gates/nothing', undefined, 404, ['nothing']],
];

it('what is wrong is refused, and changes nothing: row by row', async () => {
  const id = await http.open();
  const did = (await http.deliverables(id))[0]!.id;
  const gid = (await http.gates(id))[0]!.id;
  const before = await head();
  for (const [method, path, body, status, names] of REFUSALS) {
    const url = path.replace(/^:id/, `/engagements/${id}`).replace(':did', did).replace(':gid', gid);
    const answer = await http.send<{ error: string }>(method, url, body);
    expect({ method, path, body, status: answer.status }).toEqual({ method, path, body, status });
    expect(Object.keys(answer.body)).toEqual(['error']);
    for (const name of names) expect(answer.body.error).toContain(name);
  }
  expect(await head()).toBe(before);
});
