/** The deciders of the signed log: its key, its witnesses, the logs it cosigns, and its time stamps. */
import { describe, expect, it } from 'vitest';
import { logKey } from '../../src/commands/tlog/log-key.ts';
import { checkpointTimestamp } from '../../src/commands/tlog/timestamp.ts';
import { trustedLogs } from '../../src/commands/tlog/trusted-logs.ts';
import { logWitnesses } from '../../src/commands/tlog/witnesses.ts';
import type { TrustedLogEvent, WitnessEvent } from '../../src/events/tlog.ts';
import { decider } from '../support/given.ts';

describe('the key of the log', () => {
  const { given } = decider(logKey);
  const rotate = (from: string, to: string) =>
    ({ type: 'RotateLogKey', log_id: 'l', from, to, statement: 'signed' }) as const;
  const rotated = (from: string, to: string) =>
    ({ type: 'LogKeyRotated', data: { log_id: 'l', from, to, statement: 'signed' } }) as const;

  it('is replaced by another one', () => {
    const first = given().when(rotate('log+1+Aa', 'log+2+Bb'));
    first.thenEvents(rotated('log+1+Aa', 'log+2+Bb'));
    expect(first.after()).toEqual({ logId: 'l', current: 'log+2+Bb', replaced: ['Aa'] });
    given().when(rotate('log+1+Aa', 'log+1+Aa')).thenRefused('conflict');
  });

  it('is replaced once', () => {
    given(rotated('log+1+Aa', 'log+2+Bb')).when(rotate('log+1+Aa', 'log+2+Bb')).thenNothing();
  });

  it('is not replaced from a key that was replaced before, whatever the name of the log is', () => {
    const before = given(rotated('log+1+A+a', 'log+2+B+b'), rotated('log+2+B+b', 'log+3+Cc'));
    for (const key of ['log+1+A+a', 'renamed+7+A+a', 'renamed+8+B+b']) {
      before.when(rotate(key, 'log+4+Dd')).thenRefused('conflict');
    }
    before.when(rotate('renamed+9+Cc', 'renamed+4+Dd')).thenEvents(rotated('renamed+9+Cc', 'renamed+4+Dd'));
  });

  it('is replaced also when the restore of a backup has removed the record of it', () => {
    const restored = given(rotated('log+1+A+a', 'log+2+B+b'));
    restored.when(rotate('log+3+B+c', 'log+4+Dd')).thenEvents(rotated('log+3+B+c', 'log+4+Dd'));
  });
});

describe('a time stamp', () => {
  const { given } = decider(checkpointTimestamp);
  const data = { authority: 'a', size: 3, checkpoint: 'c', response: 'cg==' };

  it('is recorded once', () => {
    given()
      .when({ type: 'RecordTimestamp', ...data })
      .thenEvents({ type: 'CheckpointTimestamped', data });
    given({ type: 'CheckpointTimestamped', data })
      .when({ type: 'RecordTimestamp', ...data })
      .thenNothing();
  });
});

describe('the logs that are cosigned', () => {
  const { given } = decider(trustedLogs);
  const trusted = (vkey: string): TrustedLogEvent => ({ type: 'LogTrusted', data: { vkey } });
  const seen = (origin: string, other: string): TrustedLogEvent => ({
    type: 'ForkSeen',
    data: { origin, size: 5, known: 'known', other },
  });
  const record = (origin: string, other: string) =>
    ({ type: 'RecordFork', origin, size: 5, known: 'known', other }) as const;

  it('are trusted once, until they are distrusted', () => {
    given().when({ type: 'TrustLog', vkey: 'a' }).thenEvents(trusted('a'));
    given(trusted('a')).when({ type: 'TrustLog', vkey: 'a' }).thenNothing();
    const distrust = given(trusted('a'), trusted('b')).when({ type: 'DistrustLog', vkey: 'a' });
    distrust.thenEvents({ type: 'LogDistrusted', data: { vkey: 'a' } });
    expect(distrust.after()).toEqual({ trusted: ['b'], forks: [] });
    given(trusted('b')).when({ type: 'DistrustLog', vkey: 'a' }).thenNothing();
  });

  it('are at most 100', () => {
    const most = Array.from({ length: 100 }, (_, index) => trusted(`log ${index}`));
    given(most).when({ type: 'TrustLog', vkey: 'more' }).thenRefused('conflict');
    given(most.slice(1)).when({ type: 'TrustLog', vkey: 'more' }).thenEvents(trusted('more'));
  });

  it('have each fork recorded once, and ten of one log', () => {
    given().when(record('o', 'x')).thenEvents(seen('o', 'x'));
    given(seen('o', 'x')).when(record('o', 'x')).thenNothing();
    given(seen('o', 'x')).when(record('p', 'x')).thenEvents(seen('p', 'x'));
    given(seen('o', 'x'), seen('o', 'y')).when(record('o', 'x')).thenNothing();
    const ten = Array.from({ length: 10 }, (_, index) => seen('o', `other ${index}`));
    given(ten).when(record('o', 'x')).thenNothing();
    given(ten).when(record('p', 'x')).thenEvents(seen('p', 'x'));
    given(ten.slice(1)).when(record('o', 'x')).thenEvents(seen('o', 'x'));
  });

  it('keep what they were when another fact changes', () => {
    expect(given(trusted('a'), seen('o', 'x'), trusted('b')).state).toEqual({
      trusted: ['a', 'b'],
      forks: [{ origin: 'o', size: 5, known: 'known', other: 'x' }],
    });
  });
});

describe('the witnesses', () => {
  const { given } = decider(logWitnesses);
  const added = (vkey: string, url = 'u'): WitnessEvent => ({ type: 'WitnessAdded', data: { url, vkey } });
  const add = (vkey: string, url = 'u') => ({ type: 'AddWitness', vkey, url }) as const;

  it('are added once; another address replaces the one before, at the end', () => {
    given().when(add('a')).thenEvents(added('a'));
    given(added('a')).when(add('a')).thenNothing();
    const moved = given(added('a'), added('b')).when(add('a', 'v'));
    moved.thenEvents(added('a', 'v'));
    expect(moved.after()).toEqual({
      witnesses: [
        { url: 'u', vkey: 'b' },
        { url: 'v', vkey: 'a' },
      ],
    });
  });

  it('are removed once', () => {
    const removed = given(added('a'), added('b')).when({ type: 'RemoveWitness', vkey: 'a' });
    removed.thenEvents({ type: 'WitnessRemoved', data: { vkey: 'a' } });
    expect(removed.after()).toEqual({ witnesses: [{ url: 'u', vkey: 'b' }] });
    given(added('b')).when({ type: 'RemoveWitness', vkey: 'a' }).thenNothing();
  });

  it('are at most 15; one of them may still move', () => {
    const most = Array.from({ length: 15 }, (_, index) => added(`w${index}`));
    given(most).when(add('more')).thenRefused('conflict');
    given(most).when(add('w3', 'v')).thenEvents(added('w3', 'v'));
    given(most.slice(1)).when(add('more')).thenEvents(added('more'));
  });
});
