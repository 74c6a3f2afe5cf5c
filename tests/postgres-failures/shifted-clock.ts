/**
 * Loaded into a daemon before its program (`node --import`). The clock is ahead by as many milliseconds as the file
 * `DAYBOOK_TEST_SHIFT` says, and timers of a minute fire after half a second.
 */
import { readFileSync } from 'node:fs';

const READ_AGAIN_MS = 50;
const MINUTE_MS = 60_000;
const LOOK_MS = 500;

const realNow = Date.now;
const realTimeout = globalThis.setTimeout;
let shift = 0;
let readAt = Number.NEGATIVE_INFINITY;

Date.now = () => {
  const now = realNow();
  if (now - readAt > READ_AGAIN_MS) {
    readAt = now;
    shift = Number(readFileSync(process.env.DAYBOOK_TEST_SHIFT!, 'utf8'));
  }
  return now + shift;
};

function sooner<Args extends unknown[]>(callback: (...args: Args) => void, delay?: number, ...args: Args) {
  return realTimeout(callback, delay === MINUTE_MS ? LOOK_MS : delay, ...args);
}

globalThis.setTimeout = Object.assign(sooner, { __promisify__: realTimeout.__promisify__ });
